import { Unusable } from "./loading.js";

/** The files of a folder that was dropped or chosen, by their path below it. */

export interface DroppedFile {
	/** From the folder on, with slashes. */
	readonly path: string;
	/** Name of that folder; undefined for a file by itself. */
	readonly folder: string | undefined;
	readonly file: File;
}

/** What no import reads, and what would be most of what is sent. */
const UNREAD = /(?:^|\/)(?:\.git|node_modules)\//;
const FILES_MAX = 20_000;

/** Of a field that takes files or a folder. */
export async function filesOf(list: FileList | null): Promise<readonly DroppedFile[]> {
	const found = [...(list ?? [])].map((file) => ({
		path: file.webkitRelativePath || file.name,
		file,
	}));
	return belowOneFolder(found.filter(({ path }) => !UNREAD.test(path)));
}

/** Of what was dropped on the page, folders with all that is in them. Throws for more files than are imported at once. */
export async function filesOfDrop({ items }: DataTransfer): Promise<readonly DroppedFile[]> {
	// The list is empty once the event is over, so all entries are taken from it first.
	const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
	const found: Found[] = [];
	for (const entry of entries) await collect(entry, found);
	return belowOneFolder(found);
}

async function collect(entry: FileSystemEntry, found: Found[]): Promise<void> {
	if (found.length > FILES_MAX) throw new Unusable(`There are more than ${FILES_MAX} files in it.`);
	const path = entry.fullPath.replace(/^\//, "");
	if (UNREAD.test(`${path}/`)) return;
	if (isFile(entry)) {
		const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
		found.push({ path, file });
		return;
	}
	const reader = (entry as FileSystemDirectoryEntry).createReader();
	for (;;) {
		// Browsers give a hundred at a time, and none at the end.
		const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
			reader.readEntries(resolve, reject),
		);
		if (some.length === 0) return;
		for (const one of some) await collect(one, found);
	}
}

const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;

type Found = Pick<DroppedFile, "path" | "file">;

/** From the one folder on that all lie in; of several folders each keeps its name, so that none takes another's place. */
function belowOneFolder(found: readonly Found[]): readonly DroppedFile[] {
	const rootOf = ({ path }: Found) => path.slice(0, Math.max(0, path.indexOf("/")));
	const [root = "", ...others] = [...new Set(found.map(rootOf))];
	const folder = root === "" || others.length > 0 ? undefined : root;
	const start = folder === undefined ? 0 : folder.length + 1;
	return found.map(({ path, file }) => ({ path: path.slice(start), folder, file }));
}
