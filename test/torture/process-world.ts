import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PostgresCluster } from "../support/postgres-cluster.js";
import { runTollgraph, type ServerProcess, startServerProcess } from "../support/server-process.js";
import type { Dice } from "./dice.js";

export interface Reply {
	readonly status: number;
	// biome-ignore lint/suspicious/noExplicitAny: whatever fields are judged.
	readonly body: any;
}

/** Longer than a lease: the others have taken it for ended when it goes on. */
const FROZEN_MS = 15_000;
const REPLY_MS = 30_000;
/** Until a balancer sends no more calls to a server. */
const DRAIN_MS = 1_000;

export type ProcessWorld = ReturnType<typeof createProcessWorld>;

/** Several servers on one database, any of which answers, and what is done to them. */
export function createProcessWorld({
	cluster,
	folder,
	settings,
	dice,
	older,
}: {
	readonly cluster: PostgresCluster;
	readonly folder: string;
	readonly settings: readonly string[];
	readonly dice: Dice;
	/** Folder of an older build, which servers run until they are upgraded. */
	readonly older: string | undefined;
}) {
	/** By place; undefined while one is down. */
	const servers: (ServerProcess | undefined)[] = [];
	const counts = new Map<string, number>();
	const failures: string[] = [];
	const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1);
	const dataOf = (name: string | number) => ["--data", join(folder, `data-${name}`)];

	const upgraded = new Set<number>();
	/** Starts one, again while the database is away. */
	const start = async (place: number): Promise<void> => {
		const root = upgraded.has(place) ? undefined : older;
		for (let left = 60; left > 0; left--) {
			const server = await startServerProcess([...dataOf(place), ...settings], { root }).catch(
				() => undefined,
			);
			if (server) {
				servers[place] = server;
				return;
			}
			await sleep(500);
		}
		throw new Error("A server could not be started in half a minute.");
	};
	const anyPlace = () => dice.between(0, servers.length - 1);

	return {
		...{ cluster, failures, counts, count, start },
		fail: (what: string) => void failures.push(what),

		/** Any server's response; undefined where there was none. */
		async open(path: string, init: RequestInit): Promise<Response | undefined> {
			const up = servers.filter((server) => server !== undefined);
			if (up.length === 0) return undefined;
			const url = `${dice.pick(up).ready.base_url}${path}`;
			return fetch(url, { signal: AbortSignal.timeout(REPLY_MS), ...init }).catch(() => undefined);
		},

		async send(path: string, init: RequestInit): Promise<Reply | undefined> {
			const response = await this.open(path, init);
			const body: Reply["body"] = await response?.json().catch(() => undefined);
			const reply = response && body !== undefined ? { status: response.status, body } : undefined;
			count(reply ? `${reply.status} ${reply.body?.error?.code ?? ""}`.trim() : "no answer");
			return reply;
		},

		/** A command beside the servers. */
		run: (...args: readonly string[]) =>
			runTollgraph([...args, "--json", ...dataOf("command"), ...settings]),

		async killOne(): Promise<void> {
			const place = anyPlace();
			const server = servers[place];
			if (!server) return;
			servers[place] = undefined;
			server.child.kill("SIGKILL");
			await once(server.child, "exit");
			await start(place);
		},

		async freezeOne(): Promise<void> {
			const server = servers[anyPlace()];
			if (!server) return;
			server.child.kill("SIGSTOP");
			await sleep(FROZEN_MS);
			server.child.kill("SIGCONT");
		},

		/** As an operator does it: no more calls go to it, it ends what it has, and the newer build takes its place. */
		async upgradeOne(): Promise<void> {
			const place = upgraded.size;
			const server = servers[place];
			if (!server) return;
			servers[place] = undefined;
			await sleep(DRAIN_MS);
			server.child.kill("SIGTERM");
			await once(server.child, "exit");
			upgraded.add(place);
			await start(place);
		},

		async end(): Promise<void> {
			for (const server of servers) {
				if (!server) continue;
				server.child.kill("SIGTERM");
				await once(server.child, "exit");
			}
		},
	};
}

/** True for what the same call, sent again, may be answered otherwise than with. */
export const isOpen = ({ status }: Pick<Reply, "status">) =>
	status === 408 || status === 409 || status === 429 || status >= 500;
