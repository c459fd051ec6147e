/** Callers who mean no good, in a process of their own and from an address of their own. */
import { connect, type Socket } from "node:net";
import { createSecret } from "../payments/secret.js";
import { systemRandom } from "../src/core/random.js";
import type { HostilePlan, HostileResult } from "./hostile-bench.js";

const CONNECTIONS = 16;
const BODY = '{"query":"x"}';

process.once("message", async (plan: HostilePlan) => {
	process.send?.(plan.kind === "idle" ? await holdIdle(plan) : await guess(plan));
});

/** Tokens as they are issued, but by nobody: as fast as the server takes them, and again when it hangs up. */
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

const BEGINNINGS = [
	"",
	"GET / HTTP/1.1\r\nHost: x\r\nX-Slow:",
	`POST /v1/graphs/agent-payments/search HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{`,
];

/** Connections that say nothing, half a header or half a body; told when all are open, and kept until the process ends. */
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
