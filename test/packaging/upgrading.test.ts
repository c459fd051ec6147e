import { readFileSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { PACKAGE_ROOT } from "../../src/kernel/package-info.js";
import { SNAPSHOT_VERSION } from "../../src/knowledge/snapshots/graph-snapshot.js";
import { SECTION_FILE_VERSION } from "../../src/search/index/segment-codec.js";
import { BACKUP_VERSION } from "../../store/journal/backup.js";
import { DATA_FORMAT } from "../../store/journal/journal-log.js";
import { MIGRATIONS } from "../../store/postgres/schema.js";

t.test("the notes on upgrading name the formats of this build", (t) => {
	const text = readFileSync(join(PACKAGE_ROOT, "docs", "upgrading.md"), "utf8");
	const formats = {
		"journal in the data folder": DATA_FORMAT,
		backup: BACKUP_VERSION,
		"schema in PostgreSQL": MIGRATIONS.at(-1)?.version,
		"search indexes (`index`)": SECTION_FILE_VERSION,
		"snapshots of graphs": SNAPSHOT_VERSION,
	};
	for (const [what, format] of Object.entries(formats)) {
		t.ok(text.includes(`| ${what} | ${format} |`), `${what}: ${format}`);
	}
	t.end();
});
