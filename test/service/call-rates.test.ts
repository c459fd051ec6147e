import t from "tap";
import type { Credential } from "../../src/contract/credential.js";
import { createCallRates, toCredentialKey } from "../../src/http/rates.js";
import { toCallerAddress } from "../../src/http/request.js";
import type { Clock } from "../../src/kernel/clock.js";
import { ServiceError } from "../../src/kernel/errors.js";
import type { Cashier } from "../../src/sales/cashier.js";

const VALID = ["spt_good", "spt_also_good"];

function start(requestsPerMinute = 60) {
	const state = { ms: 0, isRevoked: false, looks: 0 };
	const clock = { monotonicMs: () => state.ms } as Partial<Clock> as Clock;
	const rates = createCallRates({ clock, requestsPerMinute });
	const cashier = rates.watch({
		identify: async (credential: Credential) => {
			state.looks++;
			if (credential.scheme === "spt" && VALID.includes(credential.token) && !state.isRevoked)
				return { owner: "tok_1", rail: "spt" };
			if (credential.scheme === "oidc") throw new ServiceError("NOT_FOUND", "No account yet.");
			throw new ServiceError("UNAUTHENTICATED", "Unknown.");
		},
	} as Partial<Cashier> as Cashier);
	const callerOf = (address: string, token?: string, isPolling = false) => ({
		address,
		credentialKey: token && toCredentialKey({ scheme: "spt", token }),
		isPolling,
	});
	const identify = (token = "") => cashier.identify({ scheme: "spt", token });
	const take = (...caller: Parameters<typeof callerOf>) =>
		rates.take(callerOf(...caller), () => identify(caller[1]));
	const isLetIn = async (...caller: Parameters<typeof callerOf>) =>
		(await take(...caller)).every((level) => level.isLetIn);
	/** A request with a credential no one issued; true when it was looked at. */
	const guess = async (address: string, token: string) => {
		if (!(await isLetIn(address, token))) return false;
		rates.end(callerOf(address, token), { isRefused: true, hasLeft: false });
		return true;
	};
	return { state, rates, cashier, callerOf, identify, take, isLetIn, guess };
}

async function times(count: number, work: (index: number) => Promise<boolean>): Promise<number> {
	let yes = 0;
	for (let index = 0; index < count; index++) if (await work(index)) yes++;
	return yes;
}

t.test("an address has so many requests a minute, no matter who else calls", async (t) => {
	const { state, isLetIn } = start();
	t.equal(await times(100, () => isLetIn("1.1.1.1")), 60);
	t.ok(await isLetIn("2.2.2.2"));
	state.ms = 1_000;
	t.equal(await times(5, () => isLetIn("1.1.1.1")), 1);
});

t.test("a credential has so many requests a minute, from whatever addresses", async (t) => {
	const { cashier, isLetIn } = start();
	await cashier.identify({ scheme: "spt", token: "spt_good" });
	t.equal(await times(100, (index) => isLetIn(`1.1.1.${index}`, "spt_good")), 60);
	t.ok(await isLetIn("1.1.1.1", "spt_other"));
});

t.test("polling takes nothing from the calls", async (t) => {
	const { isLetIn } = start();
	t.equal(await times(300, () => isLetIn("1.1.1.1", undefined, true)), 300);
	t.equal(await times(100, () => isLetIn("1.1.1.1")), 60);
	t.equal(
		await times(1_000, () => isLetIn("1.1.1.1", undefined, true)),
		300,
		"and has an end of its own",
	);
});

t.test("a refused credential counts ten times, and only against others like it", async (t) => {
	const { state, cashier, isLetIn, guess } = start(100_000);
	await cashier.identify({ scheme: "spt", token: "spt_good" });
	t.equal(await times(1_000, (index) => guess("1.1.1.1", `spt_${index}`)), 60);
	t.ok(await isLetIn("1.1.1.1", "spt_good"), "a neighbor with a valid token notices nothing");
	t.ok(await isLetIn("1.1.1.1"), "nor does one who shows none");
	t.ok(await isLetIn("1.1.1.1", "spt_also_good"), "nor one whose valid token is not known yet");
	t.notOk(await isLetIn("1.1.1.1", "spt_new"), "a token that no one issued waits");
	t.ok(await isLetIn("2.2.2.2", "spt_new"));
	state.ms = 10_000;
	t.equal(await times(100, (index) => guess("1.1.1.1", `spt_a${index}`)), 10);
});

t.test(
	"leaving before the refusal is a guess as well; leaving with a valid token is none",
	async (t) => {
		const { rates, cashier, callerOf, isLetIn } = start(100_000);
		const leave = (token: string) =>
			rates.end(callerOf("1.1.1.1", token), { isRefused: false, hasLeft: true });
		await cashier.identify({ scheme: "spt", token: "spt_good" });
		for (let call = 0; call < 1_000; call++) leave("spt_good");
		t.ok(await isLetIn("1.1.1.1", "spt_new"));
		for (let call = 0; call < 60; call++) leave("spt_bad");
		t.notOk(await isLetIn("1.1.1.1", "spt_new"));
	},
);

t.test(
	"guesses are counted by network as well, and a valid token is let in from there",
	async (t) => {
		const { identify, isLetIn, guess } = start(100_000);
		const guessed = await times(1_000, (index) => guess(`1.1.1.${index % 200}`, `spt_${index}`));
		t.equal(guessed, 600, "no address of it has guessed more than six times");
		t.notOk(await isLetIn("1.1.1.250", "spt_new"), "an address that has not guessed yet");
		t.ok(await isLetIn("1.1.1.250", "spt_good"));
		t.ok(await isLetIn("1.1.1.250"));
		t.ok(await isLetIn("1.1.2.1", "spt_new"), "another network");
		t.ok(await isLetIn("2001:db8:1:2::/64", "spt_new"));
		await identify("spt_good");
	},
);

t.test("what looking costs is bounded by the calls of an address", async (t) => {
	const { state, isLetIn, guess } = start(100);
	t.equal(await times(60, (index) => guess("1.1.1.1", `spt_${index}`)), 60);
	const before = state.looks;
	t.equal(await times(100, () => isLetIn("1.1.1.1", "spt_bad")), 0);
	t.equal(state.looks - before, 40);
	t.notOk(await isLetIn("1.1.1.1"), "each was a call");
});

t.test("what was valid is a guess again once it is refused, or long ago", async (t) => {
	const { state, rates, cashier, callerOf, identify, isLetIn, guess } = start(100_000);
	const exhaust = () => times(200, (index) => guess("1.1.1.1", `spt_${index}`));
	await identify("spt_good");
	await exhaust();
	t.ok(await isLetIn("1.1.1.1", "spt_good"));
	rates.end(callerOf("9.9.9.9", "spt_good"), { isRefused: true, hasLeft: false });
	t.ok(await isLetIn("1.1.1.1", "spt_good"), "refused for something else than itself");
	state.isRevoked = true;
	await t.rejects(identify("spt_good"));
	t.notOk(await isLetIn("1.1.1.1", "spt_good"));
	state.isRevoked = false;
	await identify("spt_good");
	t.ok(await isLetIn("1.1.1.1", "spt_good"));
	state.ms = 3_600_000;
	state.isRevoked = true;
	await exhaust();
	t.notOk(await isLetIn("1.1.1.1", "spt_good"));
	await t.rejects(cashier.identify({ scheme: "spt", token: "spt_bad" }));
	t.notOk(await isLetIn("1.1.1.1", "spt_bad"));
});

t.test("what ended between being counted and being refused is no guess, once", async (t) => {
	const { state, rates, cashier, callerOf, identify, isLetIn } = start(100_000);
	const look = () => identify("spt_good");
	const refuse = async (count: number) => {
		for (let call = 0; call < count; call++) {
			const caller = callerOf("1.1.1.1", "spt_good");
			await rates.take(caller, look);
			rates.end(caller, { isRefused: true, hasLeft: false });
		}
	};
	await cashier.identify({ scheme: "spt", token: "spt_good" });
	state.ms = 7_200_000;
	state.isRevoked = true;
	const begun = Array.from({ length: 100 }, () => callerOf("1.1.1.1", "spt_good"));
	for (const caller of begun) await rates.take(caller, look);
	await t.rejects(cashier.identify({ scheme: "spt", token: "spt_good" }));
	for (const caller of begun) rates.end(caller, { isRefused: true, hasLeft: false });
	t.ok(await isLetIn("1.1.1.1", "spt_new"));
	await refuse(60);
	t.notOk(await isLetIn("1.1.1.1", "spt_new"), "from then on it is one");
});

t.test("a subject without an account has guessed nothing", async (t) => {
	const { rates, cashier, callerOf, isLetIn } = start(100_000);
	await t.rejects(cashier.identify({ scheme: "oidc", token: "eyJ.new" }));
	for (let call = 0; call < 100; call++) {
		rates.end(callerOf("1.1.1.1", "eyJ.new"), { isRefused: false, hasLeft: true });
	}
	t.ok(await isLetIn("1.1.1.1", "spt_new"));
});

t.test("a credential inside a request counts as one, and the request no second time", async (t) => {
	const { rates, identify, callerOf } = start();
	const inside = { ...callerOf("1.1.1.1", "spt_bad"), isInside: true };
	const levels = await rates.take(inside, () => identify("spt_bad"));
	const policies = levels.map(({ policy }) => policy);
	t.same(policies, ["guesses", "credential"]);
});

t.test(
	"an IPv6 caller is its network, a mapped one its IPv4 address, a made-up one no caller",
	(t) => {
		const same: [string | undefined, string][] = [
			["1.2.3.4", "1.2.3.4"],
			["::ffff:1.2.3.4", "1.2.3.4"],
			["::ffff:102:304", "1.2.3.4"],
			["1.2.3.4:5678", "1.2.3.4"],
			["[2001:db8::1]:80", "2001:db8:0:0::/64"],
			["2001:db8::1", "2001:db8:0:0::/64"],
			["2001:DB8:0:0:ffff::2", "2001:db8:0:0::/64"],
			["2001:0db8:0000:0000:1:2:3:4", "2001:db8:0:0::/64"],
			["2001:db8:1:2::", "2001:db8:1:2::/64"],
			["::1", "0:0:0:0::/64"],
			["fe80::1%eth0", "fe80:0:0:0::/64"],
			["64:ff9b::1.2.3.4", "64:ff9b:0:0::/64"],
			["not an address", "unknown"],
			["", "unknown"],
			[undefined, "unknown"],
		];
		for (const [address, key] of same) t.equal(toCallerAddress(address), key, String(address));
		t.end();
	},
);

t.test(
	"processes that share the books let in a share each, as many as there are by then",
	async (t) => {
		const state = { ms: 0, processes: 1 };
		const clock = { monotonicMs: () => state.ms } as Partial<Clock> as Clock;
		const rates = createCallRates({ clock, requestsPerMinute: 60, share: () => state.processes });
		const letIn = async () => {
			let count = 0;
			const caller = { address: "192.0.2.1", credentialKey: undefined, isPolling: false };
			const take = () => rates.take(caller, async () => undefined as never);
			while ((await take()).every((level) => level.isLetIn)) count += 1;
			return count;
		};
		t.equal(await letIn(), 60);
		state.ms += 60_000;
		state.processes = 4;
		t.equal(await letIn(), 15);
	},
);
