import { execFileSync } from "node:child_process";
import { once } from "node:events";
import {
	chmodSync,
	mkdirSync,
	mkdtempSync,
	renameSync,
	rmSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { packArchive } from "../../src/knowledge/bundle/archive.js";
import { filesOf } from "../knowledge/sample-bundle.js";

/** Something that an owner may give to an import, beside two documents without a fault. */
export interface BrokenInput {
	readonly name: string;
	/** Puts it into the folder; returns the source, where that is not the folder itself. */
	readonly make: (folder: string) => string | undefined | Promise<string | undefined>;
	/** What the import says when it is refused. */
	readonly refused?: RegExp;
	/** What it says of files that it leaves out. */
	readonly skipped?: Readonly<Record<string, RegExp>>;
	/** Concepts that it makes beside the two. */
	readonly made?: readonly string[];
	/** Why it cannot be made here. */
	readonly notHere?: string | false;
}

export const NEIGHBORS = {
	"moon.md": "# Moon\n\nIt pulls at the [sun](sun.md).\n",
	"sun.md": "# Sun\n\nIt pulls less than the [moon](moon.md).\n",
};

const MIB = 1024 * 1024;
const isRoot = process.getuid?.() === 0;
const asRoot = isRoot && "root may read everything";
const onLinux = process.platform !== "linux" && "only Linux has it";

const put = (path: string, content: string | Uint8Array) => (folder: string) => {
	writeFileSync(join(folder, path), content);
	return undefined;
};
const text = (path: string, content: string | Uint8Array, rest: Partial<BrokenInput> = {}) => ({
	make: put(path, content),
	...rest,
});
/** A source of its own, given in place of the folder. */
const source = (name: string, content: Uint8Array | string) => (folder: string) => {
	writeFileSync(join(folder, name), content);
	return join(folder, name);
};
const zipOf = (files: Readonly<Record<string, string>>) =>
	packArchive(filesOf({ ...NEIGHBORS, ...files }));

/** The same archive with other bytes at each place where these stand. */
function withBytes(archive: Uint8Array, mark: string, change: (at: number) => void): Uint8Array {
	const bytes = Buffer.from(archive);
	for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) change(at);
	return bytes;
}

/** As a program that encrypts marks its entries; their bytes are noise. */
function encrypted(): Uint8Array {
	const bytes = Buffer.from(zipOf({}));
	for (const [mark, flags] of [
		["PK\u0003\u0004", 6],
		["PK\u0001\u0002", 8],
	] as const) {
		withBytes(bytes, mark, (at) => {
			bytes[at + flags] = 1;
			if (flags === 6) bytes.fill(0xa7, at + 40, at + 60);
		});
	}
	return bytes;
}

function renamed(archive: Uint8Array, from: string, to: string): Uint8Array {
	const bytes = Buffer.from(archive);
	return withBytes(bytes, from, (at) => bytes.write(to, at)) && bytes;
}

/** Sockets have short names: it is made elsewhere, and moved. */
async function listen(path: string): Promise<undefined> {
	const short = join(mkdtempSync(join(tmpdir(), "socket-")), "s");
	const server = createServer().listen(short);
	await once(server, "listening");
	server.unref();
	renameSync(short, path);
	rmSync(dirname(short), { recursive: true });
}

const pipe = (path: string) => (folder: string) => {
	execFileSync("mkfifo", [join(folder, path)]);
	return undefined;
};
const yaml = (lines: string) => `---\n${lines}\n---\n# Front\n\nText.\n`;
const BOMB = ["a: &a [x,x,x,x,x,x,x,x,x]"]
	.concat(
		["b", "c", "d", "e", "f", "g", "h"].map((key, index) => {
			const before = "abcdefgh"[index];
			return `${key}: &${key} [${Array(9).fill(`*${before}`).join(",")}]`;
		}),
	)
	.join("\n");
const deep = (open: string, count: number, close = "") =>
	`# Deep\n\n${open.repeat(count)}x${close.repeat(count)}\n`;
const lists = Array.from({ length: 700 }, (_, level) => `${"  ".repeat(level)}- x`).join("\n");
const links = Array.from({ length: 100_000 }, (_, n) => `[${n}](${n % 2 ? "moon" : "sun"}.md)`);
const NO_FILE = /no ordinary file/;

const SOURCES: Readonly<Record<string, Omit<BrokenInput, "name">>> = {
	"no such folder": { make: (folder) => join(folder, "gone"), refused: /no file or folder/ },
	"a path below a file (ENOTDIR)": {
		make: (folder) => join(folder, "moon.md", "below"),
		refused: /no file or folder/,
	},
	"a pipe for a source": {
		make: (folder) => {
			pipe("in")(folder);
			return join(folder, "in");
		},
		refused: NO_FILE,
	},
	"a socket for a source": {
		make: async (folder) => {
			await listen(join(folder, "in"));
			return join(folder, "in");
		},
		refused: NO_FILE,
	},
	"a device without an end for a source": {
		make: () => "/dev/zero",
		refused: NO_FILE,
		notHere: onLinux,
	},
	"a link to itself for a source": {
		make: (folder) => {
			symlinkSync("loop", join(folder, "loop"));
			return join(folder, "loop");
		},
		refused: /no file or folder/,
	},
	"an empty folder": {
		make: (folder) => {
			mkdirSync(join(folder, "empty"));
			return join(folder, "empty");
		},
		refused: /Nothing in .* 0 files were looked at/,
	},
	"a folder of binaries": {
		make: (folder) => {
			mkdirSync(join(folder, "bin"));
			writeFileSync(join(folder, "bin", "a.png"), Buffer.from([0x89, 0x50, 0, 0]));
			writeFileSync(join(folder, "bin", "b.md"), Buffer.from([0x7f, 0x45, 0, 1]));
			return join(folder, "bin");
		},
		refused: /Nothing in .* 2 files were looked at/,
	},
	"a zip that was cut off": {
		make: source("cut.zip", zipOf({}).subarray(0, -40)),
		refused: /not a readable zip/,
	},
	"a tar.gz": { make: source("a.tar.gz", gzipSync("moon.md")), refused: /not a readable zip/ },
	"a tar.gz that was cut off": {
		make: source("cut.tar.gz", gzipSync("x".repeat(9_999)).subarray(0, 20)),
		refused: /not a readable zip/,
	},
	"an encrypted zip": { make: source("secret.zip", encrypted()), refused: /zip|archive/ },
	"a zip that unpacks to too much": {
		make: source("bomb.zip", zipOf({ "bomb.md": "0".repeat(MIB) })),
		refused: /unpacks to too much at "bomb.md"/,
	},
	"a zip with two entries of one name": {
		make: source("twice.zip", renamed(zipOf({ "soon.md": "# Two" }), "soon.md", "moon.md")),
		refused: /made to mislead at "moon.md"/,
	},
	"a zip that leads out of its folder": {
		make: source("up.zip", zipOf({ "../evil.md": "# Evil" })),
		skipped: { "../evil.md": /leaves the source/ },
	},
	"50 MB that are no zip": {
		make: (folder) => {
			writeFileSync(join(folder, "big.zip"), "");
			truncateSync(join(folder, "big.zip"), 50 * MIB);
			return join(folder, "big.zip");
		},
		refused: /not a readable zip/,
	},
};

const RULES: Readonly<Record<string, Omit<BrokenInput, "name">>> = {
	"a pipe that says what is private": {
		make: pipe(".tollgraphignore"),
		refused: /says what is private.*no ordinary file/,
	},
	"a folder that says what is private (EISDIR)": {
		make: (folder) => {
			mkdirSync(join(folder, ".tollgraphignore"));
			return undefined;
		},
		refused: /says what is private.*no ordinary file/,
	},
	"rules of what is private that are no text": text(".tollgraphignore", Buffer.from([0, 1, 0]), {
		refused: /says what is private and is not text/,
	}),
	"a record that is a folder": {
		make: (folder) => {
			mkdirSync(join(folder, "graph.md"));
			return undefined;
		},
	},
};

const FILES: Readonly<Record<string, Omit<BrokenInput, "name">>> = {
	"a pipe among the files": { make: pipe("in.md"), skipped: { "in.md": NO_FILE } },
	"a socket among the files": {
		make: (folder) => listen(join(folder, "in.md")),
		skipped: { "in.md": NO_FILE },
	},
	"a folder called as a document": {
		make: (folder) => {
			mkdirSync(join(folder, "x.md"));
			return undefined;
		},
	},
	"links that lead in circles": {
		make: (folder) => {
			symlinkSync(".", join(folder, "self"));
			symlinkSync("b.md", join(folder, "a.md"));
			symlinkSync("a.md", join(folder, "b.md"));
			return undefined;
		},
		skipped: { self: /symbolic link/, "a.md": /symbolic link/, "b.md": /symbolic link/ },
	},
	"a file that no one may read (EACCES)": {
		make: (folder) => {
			put("shut.md", "# Shut")(folder);
			chmodSync(join(folder, "shut.md"), 0);
			return undefined;
		},
		skipped: { "shut.md": /cannot be read \(EACCES\)/ },
		notHere: asRoot,
	},
	"a folder that no one may list (EACCES)": {
		make: (folder) => {
			mkdirSync(join(folder, "shut"), 0o000);
			return undefined;
		},
		skipped: { "shut/": /cannot be read \(EACCES\)/ },
		notHere: asRoot,
	},
	"a folder whose files no one may look at (EACCES)": {
		make: (folder) => {
			mkdirSync(join(folder, "shut"));
			put("shut/a.md", "# A")(folder);
			chmodSync(join(folder, "shut"), 0o444);
			return undefined;
		},
		skipped: { "shut/a.md": /cannot be read \(EACCES\)/ },
		notHere: asRoot,
	},
	"a file of 50 MB": {
		make: (folder) => {
			put("big.md", "# Big")(folder);
			truncateSync(join(folder, "big.md"), 50 * MIB);
			return undefined;
		},
		skipped: { "big.md": /more than 1048576 bytes/ },
	},
	"zero bytes": text("nul.md", "# N\0\n", { skipped: { "nul.md": /not text/ } }),
	"nothing but blanks": text("blank.md", " \n\t\n", { skipped: { "blank.md": /empty/ } }),
	"UTF-16 of an odd number of bytes": text(
		"wide.md",
		Buffer.concat([Buffer.from("\ufeff# Wide\n\nText.\n", "utf16le"), Buffer.from([0x41])]),
		{ made: ["wide"] },
	),
	"half a character of UTF-8": text(
		"half.md",
		Buffer.concat([Buffer.from("# Half\n\nText "), Buffer.from([0xe2, 0x82])]),
		{ made: ["half"] },
	),
	"Latin-1": text("latin.md", Buffer.from("# Caf\u00e9\n\nText.\n", "latin1"), { made: ["latin"] }),
	"a byte order mark": text("bom.md", "\ufeff# Mark\n\nText.\n", { made: ["bom"] }),
	"lone carriage returns": text("cr.md", "# Old\r\rText.\r", { made: ["cr"] }),
	"aliases that unfold without end": text("bomb.md", yaml(BOMB), {
		skipped: { "bomb.md": /front matter cannot be read/ },
	}),
	"an alias that holds itself": text("loop.md", yaml("a: &a [*a]"), {
		skipped: { "loop.md": /contains itself/ },
	}),
	"front matter that is a list": text("list.md", yaml("- a\n- b"), {
		skipped: { "list.md": /not a mapping/ },
	}),
	"front matter that is not closed": text("open.md", "---\ntitle: x\n# No end", {
		skipped: { "open.md": /not closed/ },
	}),
	"front matter nested without end": text(
		"deep.md",
		`${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`,
		{ skipped: { "deep.md": /nested too deeply/ } },
	),
	"dates out of range": text(
		"dates.md",
		yaml("date: 2026-13-45\nupdated: 99999-01-01\ncreated: -1e400\nexpiryDate: 0000-00-00"),
		{ made: ["dates"] },
	),
	"quotes within quotes": text("quotes.md", deep("> ", 20_000), { made: ["quotes"] }),
	"lists within lists": text("lists.md", `# Lists\n\n${lists}\n`, { made: ["lists"] }),
	"brackets within brackets": text("brackets.md", deep("[", 50_000, "]"), { made: ["brackets"] }),
	"HTML within HTML": text("html.md", deep("<div>", 20_000, "</div>"), { made: ["html"] }),
	"a page of elements that are not closed": text(
		"page.html",
		`<!doctype html><title>P</title><p>${"<b><i>".repeat(50_000)}x`,
	),
	"JSX that is not closed": text("jsx.mdx", `# X\n\n<Tab a={{ b: "\n\n{`, { made: ["jsx"] }),
	"a notebook that was cut off": text("note.ipynb", '{"cells": [{"cell_type": "mark', {
		skipped: { "note.ipynb": /./ },
	}),
	"100,000 links": text("links.md", `# Links\n\n${links.join(" ").slice(0, MIB - 100)}\n`, {
		made: ["links"],
	}),
	"names that differ by case alone": {
		make: (folder) => {
			put("Same.md", "# One\n\nText.")(folder);
			return put("same.md", "# Two\n\nText.")(folder);
		},
		skipped: { "same.md": /already belongs/ },
		made: ["same"],
		notHere: onLinux,
	},
	"names that differ by their Unicode form": {
		make: (folder) => {
			put("caf\u00e9.md", "# One\n\nText.")(folder);
			return put("cafe\u0301.md", "# Two\n\nText.")(folder);
		},
		skipped: { "caf\u00e9.md": /already belongs/ },
		made: ["cafe"],
		notHere: onLinux,
	},
	"a name of signs alone": text("!!!.md", "# Signs\n\nText.", {
		skipped: { "!!!.md": /No concept id/ },
	}),
	"a name that commands a terminal": text("a\u001b[2J\nb.md", "# Name\n\nText.", {
		made: ["a-2j-b"],
		notHere: onLinux,
	}),
	"a name that is no text": {
		make: (folder) => {
			writeFileSync(
				Buffer.concat([Buffer.from(`${folder}/x`), Buffer.from([0xff, 0x2e, 0x6d, 0x64])]),
				"#",
			);
			return undefined;
		},
		skipped: { "x\ufffd.md": /cannot be read \(ENOENT\)/ },
		notHere: onLinux,
	},
	"a very long name": text(`${"long".repeat(60)}.md`, "# Long\n\nText.", {
		made: ["long".repeat(50)],
	}),
	"folders within folders": {
		make: (folder) => {
			const path = Array(20).fill("d").join("/");
			mkdirSync(join(folder, path), { recursive: true });
			return put(`${path}/deep.md`, "# Deep")(folder);
		},
		skipped: { [`${"d/".repeat(17)}`]: /more than 16 folders deep/ },
	},
};

export const BROKEN_INPUTS: readonly BrokenInput[] = Object.entries({
	...SOURCES,
	...RULES,
	...FILES,
}).map(([name, input]) => ({ name, ...input }));
