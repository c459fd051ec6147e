/** Files that a report can be had as. */
export const REPORT_FORMATS = ["md", "json", "html"] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

export const REPORT_MEDIA_TYPES: Readonly<Record<ReportFormat, string>> = {
	md: "text/markdown; charset=utf-8",
	json: "application/json; charset=utf-8",
	html: "text/html; charset=utf-8",
};

export interface ReportFile {
	readonly text: string;
	readonly mediaType: string;
	readonly fileName: string;
}
