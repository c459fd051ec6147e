import type { RenderReport } from "../../skills/answers/report/report-document.js";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { openPageAssets } from "../../src/web/page-assets.js";
import { createReportFiles } from "../../src/web/pages/report.js";

/** Reports as files, in the style that the build made. */
export const renderTestReport: RenderReport = (report) =>
	createReportFiles(openPageAssets(PACKAGE_ROOT))(report);
