/** Callers who mean no good, in a process of their own and from an address of their own. */
import { connect, type Socket } from "node:net";
import { systemRandom } from "../src/kernel/ids.js";
import { createSecret } from "../src/kernel/secrets.js";
import type { HostilePlan, HostileResult } from "./hostile-bench.js";

const CONNECTIONS = 16;
const BODY = '{"query":"x"}';

process.once("message", async (plan: HostilePlan) => {
	process.send?.(await BY_KIND[plan.kind](plan));
});

const BY_KIND: Readonly<
	Record<HostilePlan["kind"], (plan: HostilePlan) => Promise<HostileResult>>
> = { guesses: guess, idle: holdIdle, connection_tokens: guessConnections };

/** Tokens as they are issued, but by no one: as fast as the server takes them, and again when it hangs up. */
async function guess(plan: HostilePlan): Promise<HostileResult> {
	const statuses: Record<string, number> = {};
	const until = performance.now() + plan.seconds * 1000;
	const isOver = () => performance.now() >= until;
	let sent = 0;
	const begin = (socket: Socket) => {
		let owed = 0;
		const send = () => {
			owed = plan.count;
			sent += plan.count;
			socket.write(Array.from({ length: plan.count }, toGuess).join(""));
		};
		socket.on("data", (data) => {
			for (const [, status = ""] of String(data).matchAll(/HTTP\/1\.1 (\d+)/g)) {
				statuses[status] = (statuses[status] ?? 0) + 1;
				owed -= 1;
			}
			if (isOver()) socket.destroy();
			else if (owed <= 0) send();
		});
		send();
	};
	const run = async () => {
		while (!isOver()) await onConnection(plan, begin);
	};
	await Promise.all(Array.from({ length: CONNECTIONS }, run));
	return { sent, statuses };
}

function toGuess(): string {
	const token = createSecret("spt_test_", systemRandom);
	return `POST /v1/graphs/agent-payments/search HTTP/1.1\r\nHost: x\r\nX-Pay-SPT: ${token}\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
}

const PER_SECOND = 1_000;
const TICK_MS = 10;

/**
 * Tokens of MCP addresses, so many a second whatever comes back: on a connection that is free, or on a new one where the
 * server has had enough of the last.
 */
async function guessConnections(plan: HostilePlan): Promise<HostileResult> {
	const statuses: Record<string, number> = {};
	const free: Socket[] = [];
	const addresses = Array.from({ length: plan.count }, (_, index) =>
		addressAfter(plan.from, index),
	);
	const ticks = (plan.seconds * 1_000) / TICK_MS;
	let sent = 0;
	const open = (guess: string) => {
		const from = addresses[sent % addresses.length] ?? plan.from;
		void onConnection({ port: plan.port, from }, (socket) => {
			socket.on("data", (data) => {
				const [, status = ""] = /^HTTP\/1\.1 (\d+)/.exec(String(data)) ?? [];
				if (status === "") return;
				statuses[status] = (statuses[status] ?? 0) + 1;
				if (status === "401") free.push(socket);
				else socket.destroy();
			});
			socket.write(guess);
		});
	};
	for (let tick = 0; tick < ticks; tick++) {
		for (let index = 0; index < (PER_SECOND * TICK_MS) / 1_000; index++) {
			sent += 1;
			const socket = free.shift();
			if (socket?.writable) socket.write(toConnectionGuess());
			else open(toConnectionGuess());
		}
		await new Promise((resolve) => setTimeout(resolve, TICK_MS));
	}
	return { sent, statuses };
}

/** `127.0.1.1` and three more is `127.0.1.4`. */
function addressAfter(first: string, count: number): string {
	const [last = "1", ...others] = first.split(".").reverse();
	return [String(Number(last) + count), ...others].reverse().join(".");
}

const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';

function toConnectionGuess(): string {
	const token = createSecret("ct_", systemRandom);
	return `POST /c/${token} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${LIST.length}\r\n\r\n${LIST}`;
}

const BEGINNINGS = [
	"",
	"GET / HTTP/1.1\r\nHost: x\r\nX-Slow:",
	`POST /v1/graphs/agent-payments/search HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`,
];

/** Connections that say nothing, half a header or half a body; reported when all are open, and kept until the process ends. */
async function holdIdle({ port, from, count }: HostilePlan): Promise<HostileResult> {
	const statuses = { open: 0, cut: 0 };
	for (let index = 0; index < count; index++) {
		const opened = onConnection({ port, from }, (socket) => {
			statuses.open += 1;
			socket.resume().write(BEGINNINGS[index % BEGINNINGS.length] ?? "");
		});
		void opened.then(() => {
			statuses.cut += 1;
		});
		if (index % 200 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
	}
	return { sent: count, statuses };
}

/** Resolves when the connection is closed, by whomever. */
function onConnection(
	{ port, from }: Pick<HostilePlan, "port" | "from">,
	begin: (socket: Socket) => void,
): Promise<void> {
	return new Promise((resolve) => {
		const socket = connect({ port, host: "127.0.0.1", localAddress: from });
		socket.on("error", () => undefined);
		socket.once("connect", () => begin(socket));
		socket.once("close", () => resolve());
	});
}
