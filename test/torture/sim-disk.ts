import type { FileSystem, OpenFile } from "../../store/journal/file-system.js";
import { diskError, type FakeDisk, type Verdict } from "../store/fake-disk.js";
import type { Dice } from "./dice.js";
import type { Life } from "./life.js";

/** The disk as one process sees it: every change takes time, may fail, and may be the last thing the process did. */
export function createSimDisk({
	disk,
	life,
	dice,
}: {
	disk: FakeDisk;
	life: Life;
	dice: Dice;
}): FileSystem {
	const change = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
		const fate = await life.request(what);
		// The disk judges an operation before it first waits, so the verdict meets this one alone.
		disk.judge = () => verdictOf(fate, dice);
		const isDone = fate !== "dies" || dice.chance(0.8);
		const result = isDone ? act() : Promise.resolve(undefined as T);
		disk.judge = () => "work";
		if (fate === "dies") {
			result.catch(() => undefined);
			life.die();
		}
		return life.ifAlive(await result);
	};
	const look = async <T>(result: Promise<T>): Promise<T> => life.ifAlive(await result);
	const toFile = (path: string, file: OpenFile): OpenFile => ({
		write: (bytes, position) => change(`write ${path}`, () => file.write(bytes, position)),
		writeDurably: (bytes, position) =>
			change(`write ${path}`, () => file.writeDurably(bytes, position)),
		sync: () => change(`sync ${path}`, () => file.sync()),
		truncate: (length) => change(`truncate ${path}`, () => file.truncate(length)),
		close: () => file.close(),
	});
	return {
		makeFolder: (path) => disk.makeFolder(path),
		makeNewFolder: (path) => disk.makeNewFolder(path),
		kindOf: (path) => look(disk.kindOf(path)),
		isMountPoint: (folder) => look(disk.isMountPoint(folder)),
		space: (folder) => look(disk.space(folder)),
		openForReading: (path) => look(disk.openForReading(path)),
		list: (folder) => look(disk.list(folder)),
		read: (path) => look(disk.read(path)),
		readPart: (path, position, length) => look(disk.readPart(path, position, length)),
		size: (path) => look(disk.size(path)),
		async open(path, how) {
			if (how === "existing") return toFile(path, await look(disk.open(path, how)));
			return toFile(path, await change(`create ${path}`, () => disk.open(path, how)));
		},
		rename: (from, to) => change(`rename ${to}`, () => disk.rename(from, to)),
		link: (from, to) => change(`link ${to}`, () => disk.link(from, to)),
		remove: (path) => change(`remove ${path}`, () => disk.remove(path)),
		syncFolder: (folder) => change(`sync ${folder}`, () => disk.syncFolder(folder)),
	};
}

function verdictOf(fate: Awaited<ReturnType<Life["request"]>>, dice: Dice): Verdict {
	if (fate === "works") return "work";
	// Written in part, written and not synced, or done as asked with no one left to hear it.
	const unsynced = { error: diskError("EIO"), unsynced: true };
	if (fate === "dies") return dice.pick<Verdict>(["short", unsynced, "work"]);
	const full = { error: diskError("ENOSPC") };
	return dice.pick<Verdict>(["short", unsynced, full]);
}
