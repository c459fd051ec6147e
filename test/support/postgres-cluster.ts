import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import {
	chownSync,
	closeSync,
	existsSync,
	mkdtempSync,
	openSync,
	readdirSync,
	rmSync,
	writeFileSync,
	writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

/** A PostgreSQL server of its own, on loopback, in a folder that goes with it. */
export interface PostgresCluster {
	readonly url: string;
	readonly port: number;
	/** The same through another port of loopback. */
	urlAt(port: number): string;
	/** Runs one statement beside the store; returns its rows. */
	sql(text: string): Promise<readonly unknown[]>;
	/** As a power cut: what was not on the disk is gone. Resolves once it answers again. */
	crash(options?: { readonly meanwhile?: () => Promise<void> }): Promise<void>;
	/** Leaves no space on its own disk (see `diskMegabytes`) for so long; what it ends by itself meanwhile is started again. */
	fillDisk(ms: number): Promise<void>;
	stop(): Promise<void>;
}

/** Where Debian puts what is not in PATH. */
const DEBIAN = "/usr/lib/postgresql";

function findBinaries(): string | undefined {
	const versions = existsSync(DEBIAN)
		? readdirSync(DEBIAN).map((one) => join(DEBIAN, one, "bin"))
		: [];
	const folders = [...(process.env["PATH"] ?? "").split(":"), ...versions.sort().reverse()];
	return folders.find((folder) => existsSync(join(folder, "initdb")));
}

const BINARIES = findBinaries();
/** Why tests of PostgreSQL are skipped; false where they run. CI sets TOLLGRAPH_POSTGRES_REQUIRED, so that none is skipped there. */
export const WITHOUT_POSTGRES: string | false =
	BINARIES === undefined &&
	process.env["TOLLGRAPH_POSTGRES_REQUIRED"] === undefined &&
	"there is no PostgreSQL here: on Debian, apt-get install postgresql";

/** The server refuses to run as root: then it runs as the user that its package made. */
function serverUser(): { uid: number; gid: number } | undefined {
	if (process.getuid?.() !== 0) return undefined;
	const idOf = (flag: string) =>
		Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
	return { uid: idOf("-u"), gid: idOf("-g") };
}

async function freePort(): Promise<number> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	server.close();
	await once(server, "close");
	if (address === null || typeof address === "string") throw new Error("no port");
	return address.port;
}

/**
 * Starts one with settings of postgresql.conf, such as `fsync=off`; with `diskMegabytes` on a disk of its own in memory, so that
 * it can be filled, which takes the right to mount one.
 */
export async function startPostgres(
	settings: readonly string[] = [],
	{ diskMegabytes }: { readonly diskMegabytes?: number } = {},
): Promise<PostgresCluster> {
	if (BINARIES === undefined) throw new Error("PostgreSQL is required here and is not installed.");
	const user = serverUser();
	const folder = mkdtempSync(join(tmpdir(), "tollgraph-postgres-"));
	if (diskMegabytes !== undefined)
		execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskMegabytes}m`, "tmpfs", folder]);
	const [data, password] = [join(folder, "data"), randomBytes(12).toString("hex")];
	const passwordFile = join(folder, "password");
	writeFileSync(passwordFile, password, { mode: 0o600 });
	if (user) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid);
	const initialize = [
		"-D",
		data,
		"-U",
		"tollgraph",
		"-E",
		"UTF8",
		"--locale=C",
		"--auth=scram-sha-256",
		"--no-sync",
	];
	execFileSync(join(BINARIES, "initdb"), [...initialize, `--pwfile=${passwordFile}`], {
		...user,
		stdio: "ignore",
		cwd: folder,
	});
	const port = await freePort();
	const flags = [
		...["-D", data, "-k", folder, "-h", "127.0.0.1", "-p", String(port)],
		...settings.flatMap((setting) => ["-c", setting]),
	];
	const start = async () => {
		const server = spawn(join(BINARIES, "postgres"), flags, {
			...user,
			cwd: folder,
			stdio: ["ignore", "ignore", "pipe"],
		});
		await untilReady(server);
		return server;
	};
	let server = await start();
	const end = async (signal: NodeJS.Signals) => {
		if (server.exitCode !== null || server.signalCode !== null) return;
		const exited = once(server, "exit");
		server.kill(signal);
		await exited;
	};
	const urlAt = (at: number) => `postgres://tollgraph:${password}@127.0.0.1:${at}/postgres`;
	return {
		url: urlAt(port),
		port,
		urlAt,
		async sql(text) {
			const client = new pg.Client({ connectionString: urlAt(port) });
			await client.connect();
			return (await client.query(text).finally(() => client.end())).rows;
		},
		async crash({ meanwhile } = {}) {
			await end("SIGQUIT");
			await meanwhile?.();
			server = await start();
		},
		async fillDisk(ms) {
			const filler = join(folder, "filler");
			fillUp(filler);
			await sleep(ms);
			rmSync(filler);
			// A crash of one of its processes restarts it by itself, unless there was no space for that either.
			for (let left = 20; left > 0 && server.exitCode === null; left--) {
				if (await answers(urlAt(port))) return;
				await sleep(500);
			}
			await end("SIGQUIT");
			server = await start();
		},
		async stop() {
			await end("SIGINT");
			if (diskMegabytes !== undefined) execFileSync("umount", ["--lazy", folder]);
			rmSync(folder, { recursive: true, force: true });
		},
	};
}

/** Writes until there is no space. */
function fillUp(path: string): void {
	const file = openSync(path, "w");
	const block = Buffer.alloc(1 << 20);
	try {
		for (let size = block.length; size > 512; ) {
			try {
				writeSync(file, block, 0, size);
			} catch {
				size /= 2;
			}
		}
	} finally {
		closeSync(file);
	}
}

async function answers(url: string): Promise<boolean> {
	const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
	client.on("error", () => undefined);
	try {
		await client.connect();
		await client.query("SELECT 1");
		return true;
	} catch {
		return false;
	} finally {
		await client.end().catch(() => undefined);
	}
}

async function untilReady(server: ChildProcess): Promise<void> {
	let said = "";
	await new Promise<void>((resolve, reject) => {
		server.stderr?.on("data", (part: Buffer) => {
			said = (said + part.toString("utf8")).slice(-4_000);
			if (said.includes("database system is ready to accept connections")) resolve();
		});
		server.once("exit", () => reject(new Error(`PostgreSQL did not start: ${said}`)));
		server.once("error", reject);
	});
}
