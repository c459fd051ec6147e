// Fetches the folders of other people that only the Python index has, as `public-folders/requirements.txt` pins them by their
// checksums, into `.cache/folders`. Tests that read them are skipped without. Packages are unpacked, never installed.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const REQUIREMENTS = join("test", "knowledge", "public-folders", "requirements.txt");
const FOLDERS = join(".cache", "folders");

const downloads = mkdtempSync(join(tmpdir(), "folders-"));
try {
	const options = ["--no-deps", "--no-binary", ":all:", "--require-hashes", "--dest", downloads];
	execFileSync("python3", ["-m", "pip", "download", "--quiet", ...options, "-r", REQUIREMENTS], {
		stdio: ["ignore", "inherit", "inherit"],
	});
	mkdirSync(FOLDERS, { recursive: true });
	for (const archive of readdirSync(downloads).filter((name) => name.endsWith(".tar.gz"))) {
		const name = archive.slice(0, -".tar.gz".length);
		execFileSync("tar", ["-xzf", join(downloads, archive), "-C", downloads]);
		rmSync(join(FOLDERS, name), { recursive: true, force: true });
		execFileSync("cp", ["-R", join(downloads, name), join(FOLDERS, name)]);
		process.stdout.write(`${join(FOLDERS, name)}\n`);
	}
} catch (error) {
	process.stderr.write(
		`The folders could not be fetched: ${error.message}\nThis needs python3 with pip, tar, and a package index.\n`,
	);
	process.exitCode = 1;
} finally {
	rmSync(downloads, { recursive: true, force: true });
}
