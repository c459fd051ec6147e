import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import t from "tap";
import { privateKeyToAccount } from "viem/accounts";
import type { Hex } from "../../payments/onchain/facilitator.js";
import { withoutChain } from "../payments/chain/local-chain.js";
import { filesBelow, readableText } from "../support/files-below.js";
import { startServerProcess } from "../support/server-process.js";

// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
type Body = any;

interface Reply {
	readonly status: number;
	readonly body: Body;
}

/** Secrets of the key folder: whole files, and the private members of keys in JSON. */
function secretsOf(folder: string): string[] {
	return filesBelow(join(folder, "keys")).flatMap((file) => {
		const text = readFileSync(file, "utf8").trim();
		if (!text.startsWith("{")) return [text];
		const members = JSON.parse(text) as Record<string, unknown>;
		return ["d", "private_key", "privateKey"].flatMap((name) => {
			const value = members[name];
			return typeof value === "string" ? [value] : [];
		});
	});
}

/** A secret in any of the forms in which it could slip out. */
function formsOf(secret: string): string[] {
	const bare = secret.replace(/^0x/, "");
	return [bare, Buffer.from(secret).toString("base64url"), encodeURIComponent(secret)];
}

t.test(
	"no token, key or private key is in a log, an error or a file outside the key folder",
	{ skip: withoutChain },
	async (t) => {
		const folder = join(t.testdir({}), "data");
		const server = await startServerProcess(["--data", folder, "--model", "none"]);
		let log = "";
		server.child.stderr?.on("data", (chunk) => {
			log += chunk;
		});
		t.teardown(() => server.child.kill("SIGKILL"));
		const { base_url: baseUrl, demo_spt, admin_token } = server.ready;
		const wallet = server.ready.demo_wallet as unknown as { private_key: Hex };
		const payer = privateKeyToAccount(wallet.private_key);
		const paying = wrapFetchWithPaymentFromConfig(fetch, {
			schemes: [{ network: "eip155:84532", client: new ExactEvmScheme(payer) }],
			spendControls: false,
		});

		const errors: string[] = [];
		const post = async (
			path: string,
			body: unknown,
			{ by = fetch, method = "POST", ...headers }: Record<string, unknown> = {},
		): Promise<Reply> => {
			const response = await (by as typeof fetch)(`${baseUrl}${path}`, {
				method: String(method),
				headers: { "Content-Type": "application/json", ...(headers as Record<string, string>) },
				...(method !== "GET" && { body: JSON.stringify(body) }),
			});
			const text = await response.text();
			if (response.status >= 400) errors.push(text, ...[...response.headers].map(String));
			return { status: response.status, body: text ? JSON.parse(text) : undefined };
		};
		const search = "/v1/graphs/agent-payments/search";
		const question = { query: "Which HTTP status code asks for payment?" };
		const admin = { Authorization: `Bearer ${admin_token}` };

		const { token: issued } = (await post("/v1/admin/spts", { usd: "2" }, admin)).body;
		const { key } = (await post("/v1/admin/keys", { usd: "2" }, admin)).body;
		t.equal((await post(search, question, { "X-Pay-SPT": issued })).status, 200);
		t.equal((await post(search, question, { "X-API-Key": key })).status, 200);
		t.equal((await post(search, question, { by: paying })).status, 200, "paid from the wallet");
		const bought = (await post("/v1/spt", { amount_usd: "3" }, { by: paying })).body.data.token;
		const own = { Authorization: `Bearer ${bought}` };
		const child = (await post("/v1/spt/delegations", { amount_usd: "1" }, own)).body.data.token;
		const rotated = (await post("/v1/spt/rotate", {}, own)).body.data.token;

		// Everything that can go wrong with a secret in hand.
		t.equal((await post(search, question, own)).status, 401, "rotated away");
		const typo = `${rotated.slice(0, -1)}${rotated.endsWith("0") ? "1" : "0"}`;
		await post(search, question, { "X-Pay-SPT": typo });
		await post(search, question, { "X-Pay-SPT": `${rotated} ${rotated}` });
		await post(search, question, { "X-API-Key": `${key}x` });
		await post(search, question, { "X-API-Key": key, "X-Pay-SPT": rotated });
		await post(search, { query: "" }, { "X-Pay-SPT": rotated });
		await post(`/v1/graphs/${rotated}/search`, question, { "X-Pay-SPT": rotated });
		await post("/v1/admin/spts", { usd: "x" }, { Authorization: `Bearer ${admin_token}x` });
		await post(search, question, { "PAYMENT-SIGNATURE": Buffer.from(rotated).toString("base64") });
		await post("/v1/spt", undefined, { ...own, method: "DELETE" });

		server.child.kill("SIGTERM");
		await new Promise((resolve) => server.child.once("exit", resolve));

		const secrets: string[] = [
			demo_spt,
			admin_token,
			wallet.private_key,
			...[issued, key, bought, child, rotated],
			...secretsOf(folder),
		];
		t.ok(secrets.every((secret) => typeof secret === "string" && secret.length >= 20));
		t.ok(errors.length >= 9, `${errors.length} errors were told`);
		const files = filesBelow(folder).filter((file) => !relative(folder, file).startsWith("keys/"));
		const texts = files.map((file) => ({
			at: relative(folder, file),
			text: readableText(folder, file),
		}));
		const places = [
			...texts,
			{ at: "the log", text: log },
			...errors.map((text) => ({ at: `an error: ${text.slice(0, 60)}`, text })),
		];
		const found = secrets.flatMap((secret) =>
			places
				.filter(({ text }) => formsOf(secret).some((form) => text.includes(form)))
				.map(({ at }) => `${secret.slice(0, 9)}… in ${at}`),
		);
		t.same(found, []);
		t.ok(files.length > 5, `${files.length} files were read`);
	},
);
