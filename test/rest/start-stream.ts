import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import type { Test } from "tap";
import { z } from "zod";
import type { OnchainParts } from "../../payments/onchain/facilitator.js";
import { createArtifactRepository } from "../../src/artifacts/artifact-repository.js";
import { resumeQuery } from "../../src/contract/contract.js";
import type { Skill, SkillEvent } from "../../src/contract/skill.js";
import { createRequestId } from "../../src/http/request.js";
import { type Clock, systemClock } from "../../src/kernel/clock.js";
import { createIds, systemRandom } from "../../src/kernel/ids.js";
import { createPaymentLimit } from "../../src/rest/handlers.js";
import { createErrorHandler } from "../../src/rest/http-frame.js";
import { createStreamHandler } from "../../src/rest/stream-handler.js";
import { createInterruptedStreams } from "../../src/sales/interrupted-streams.js";
import { createInvokeStream } from "../../src/sales/invoke-stream.js";
import { createSoldStreams } from "../../src/sales/sold-streams.js";
import { createKeptStreams } from "../../src/sales/stored-streams.js";
import { createSimChain } from "../support/sim-chain.js";
import { createSimFacilitator } from "../support/sim-facilitator.js";
import { createSimWallet } from "../support/sim-wallet.js";
import { startApp, type TestApp } from "../support/start-app.js";

/** The pipeline for streams over a real cashier; what is sold is the given stream. */
export async function startStream(
	t: Test,
	stream: NonNullable<Skill["stream"]>,
	{ clock = systemClock, ...options }: { onchain?: OnchainParts; clock?: Clock } = {},
) {
	const settings = { catalog: "none", model: "none" } as const;
	const testApp = await startApp(t, { settings, ...options });
	const { service, money } = testApp.app;
	const skills = {
		...service.skills,
		"search.domain": {
			...service.skills["search.domain"],
			capture: "beforeFirstEvent" as const,
			stream,
		},
	};
	const recordUsage = () => undefined;
	const invokeStream = createInvokeStream({ skills, cashier: money.cashier, recordUsage });
	const ids = createIds({ clock, random: systemRandom });
	const { store } = testApp.app;
	const artifacts = createArtifactRepository({ store, clock });
	const kept = createKeptStreams({ artifacts, store, clock });
	const interrupted = createInterruptedStreams({ store, clock });
	const streams = createSoldStreams({ invokeStream, skills, kept, interrupted, ids, clock });
	let leave = () => undefined as unknown;
	const server = createServer(
		express()
			.use((_req, res, next) => {
				res.once("close", () => leave());
				next();
			})
			.use(createRequestId(ids))
			.get(
				"/stream",
				createStreamHandler(
					{
						service: { ...service, streams },
						clock,
						limitPayments: createPaymentLimit(clock, 20),
					},
					{
						id: "search.domain",
						params: z.strictObject({}),
						query: z.strictObject({ query: z.string(), ...resumeQuery }),
					},
				),
			)
			.use(createErrorHandler()),
	);
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	t.teardown(() => server.closeAllConnections());
	t.teardown(() => server.close());
	const { port } = server.address() as AddressInfo;
	t.teardown(() => streams.stop());
	/** Until the server knows that the next connection, or the one it has, is over. */
	const callerLeft = () =>
		new Promise<void>((resolve) => {
			leave = () => resolve();
		});
	return { testApp, streams, callerLeft, url: `http://127.0.0.1:${port}/stream?query=x` };
}

export function open(
	url: string,
	token: string,
	headers: Readonly<Record<string, string>> = { "X-Pay-SPT": token },
): Promise<IncomingMessage> {
	return new Promise((resolve, reject) => {
		get(url, { headers, agent: false }, resolve).on("error", reject);
	});
}

/** The same, paid for on a simulated chain, by one wallet. */
export async function startChainStream(
	t: Test,
	stream: NonNullable<Skill["stream"]>,
	clock?: Clock,
) {
	const { now } = systemClock;
	const chain = createSimChain({ now });
	const facilitator = createSimFacilitator({ chain, clock: systemClock });
	const onchain = { terms: chain.terms, facilitator, chain, close: async () => undefined };
	const { testApp, callerLeft, url } = await startStream(t, stream, {
		onchain,
		...(clock && { clock }),
	});
	const wallet = createSimWallet(chain, { name: "s", now, balance: 9_000_000n });
	const sign = () => wallet.v2(wallet.sign({ value: 500_000n }));
	const pay = (header: string, more: Readonly<Record<string, string>> = {}) =>
		open(url, "", { "PAYMENT-SIGNATURE": header, ...more });
	const states = () =>
		testApp.app.store.read(async (reader) =>
			(await reader.list("payments")).map(({ state }) => state),
		);
	return { testApp, facilitator, callerLeft, sign, pay, states };
}

export interface ReadEvent {
	readonly id: number;
	readonly event: string;
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
	readonly data: any;
}

/** The events of a stream as they traveled; comments are left out. */
export function readEvents(text: string): readonly ReadEvent[] {
	return text.split("\n\n").flatMap((block) => {
		const fields = Object.fromEntries(
			block.split("\n").map((line) => [line.split(": ", 1)[0], line.slice(line.indexOf(": ") + 2)]),
		);
		if (fields["data"] === undefined) return [];
		return {
			id: Number(fields["id"]),
			event: fields["event"] ?? "",
			data: JSON.parse(fields["data"]),
		};
	});
}

/** Data of the first event of a name. */
export function dataOf(text: string, name: string) {
	return readEvents(text).find(({ event }) => event === name)?.data;
}

export async function readText(response: IncomingMessage): Promise<string> {
	let text = "";
	for await (const chunk of response.setEncoding("utf8")) text += chunk;
	return text;
}

export async function moneyOf({ app }: TestApp, tokenId: string) {
	return app.store.read(async (reader) => ({
		balance: await reader.balance(`cust:${tokenId}`),
		holds: (await reader.list("holds")).length,
	}));
}

export const planned: SkillEvent = { event: "research.plan", data: { n: 0 } };
export const evidence = (n: number): SkillEvent => ({
	event: "research.evidence",
	data: { n },
	isEvidence: true,
});
