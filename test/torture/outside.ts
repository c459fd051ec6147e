import type { ChainReader, Facilitator, Hex } from "../../payments/onchain/facilitator.js";
import { LIMITS } from "../../src/contract/limits.js";
import { createSimChain, SIM_TERMS, type SimChain } from "../support/sim-chain.js";
import {
	createSimFacilitator,
	FACILITATOR_KINDS,
	type FacilitatorKind,
	type SimFacilitator,
} from "../support/sim-facilitator.js";
import type { Dice } from "./dice.js";
import type { Life } from "./life.js";
import type { Timeline } from "./timeline.js";

/** The world outside the server: it goes on when the server dies. */
export interface Outside {
	readonly chain: SimChain;
	/** "mixed" changes its mind all the time. */
	readonly kind: FacilitatorKind | "mixed";
	/** False where the server has no one but the facilitator to ask. */
	readonly isChainReadable: boolean;
	/** Facilitator and chain over a network that ends with this life. */
	connect(life: Life): {
		readonly facilitator: Facilitator;
		readonly chain: ChainReader | undefined;
	};
	/** Things change now and then: how the facilitator behaves, whether the chain can be read. */
	stir(): void;
	/** A payer empties the wallet. */
	drain(address: Hex): Promise<void>;
	/** From now on the facilitator is honest and the chain can be read. */
	calm(): void;
}

const ELSEWHERE: Hex = `0x${"e".repeat(40)}`;

/** A facilitator that lies can only be caught by somebody who reads the chain. */
const HONEST: readonly string[] = ["strict", "idempotent", "slow"];

export function createOutside({
	timeline,
	dice,
	seed,
}: {
	timeline: Timeline;
	dice: Dice;
	seed: number;
}): Outside {
	const kinds = [...FACILITATOR_KINDS, "mixed"] as const;
	const kind = kinds[seed % kinds.length] ?? "mixed";
	const isChainReadable = !HONEST.includes(kind) || dice.chance(0.7);
	const chain = createSimChain({ now: timeline.now });
	const facilitator = createSimFacilitator({
		chain,
		clock: { after: timeline.schedule },
		kind: kind === "mixed" ? "strict" : kind,
	});
	return {
		chain,
		kind,
		isChainReadable,
		connect: (life) => ({
			facilitator: facilitatorOver(life, facilitator, dice),
			chain: isChainReadable ? readerOver(life, chain) : undefined,
		}),
		stir() {
			facilitator.delayMs = dice.chance(0.8) ? dice.between(1, 300) : dice.between(300, 40_000);
			if (kind === "mixed") facilitator.behavior = dice.pick(FACILITATOR_KINDS);
			chain.isUnreadable = dice.chance(0.1);
			chain.hidesLatest = dice.chance(0.1);
			// A node may lag for longer than an authorization is looked for after its end.
			timeline.schedule(dice.between(1, LIMITS.authorizationLapseMs * 8), () => {
				chain.hidesLatest = false;
			});
		},
		async drain(address) {
			const rest = await chain.balanceOf(SIM_TERMS, address).catch(() => 0n);
			if (rest > 0n) chain.transfer(address, ELSEWHERE, rest);
		},
		calm() {
			if (kind === "mixed") facilitator.behavior = "strict";
			chain.isUnreadable = false;
			chain.hidesLatest = false;
		},
	};
}

/** A request may be lost on its way, or arrive without the answer ever coming back. */
function facilitatorOver(life: Life, facilitator: SimFacilitator, dice: Dice): Facilitator {
	const send = async <T>(what: string, act: () => Promise<T>): Promise<T> => {
		const fate = await life.request(what);
		if (fate === "works") return answer(life, what, await act());
		if (dice.chance(0.5)) act().catch(() => undefined);
		if (fate === "dies") life.die();
		await life.ifAlive(undefined);
		throw new Error("ECONNRESET: simulated");
	};
	return {
		kind: facilitator.kind,
		verify: (...args) => send("verify", () => facilitator.verify(...args)),
		settle: (terms, authorization, { onBroadcast }) =>
			send("settle", () =>
				facilitator.settle(terms, authorization, {
					// Anyone who is dead is sent nothing, and no one waits for him.
					onBroadcast: async (hash) => (life.isAlive() ? onBroadcast(hash) : undefined),
				}),
			),
	};
}

function readerOver(life: Life, chain: SimChain): ChainReader {
	return {
		async stateOf(...args) {
			const fate = await life.request("look at the chain");
			if (fate === "dies") life.die();
			await life.ifAlive(undefined);
			if (fate === "fails") throw new Error("ECONNRESET: simulated");
			return chain.stateOf(...args);
		},
		balanceOf: (...args) => chain.balanceOf(...args),
		transfers: (terms) => chain.transfers(terms),
	};
}

async function answer<T>(life: Life, what: string, value: T): Promise<T> {
	const fate = await life.request(`answer to ${what}`);
	if (fate === "dies") life.die();
	await life.ifAlive(undefined);
	if (fate === "fails") throw new Error("ECONNRESET: simulated");
	return value;
}
