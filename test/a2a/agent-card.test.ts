import { AgentCard, verifyAgentCardSignature } from "@a2a-js/sdk";
import { createLocalJWKSet, flattenedVerify } from "jose";
import t from "tap";
import { A2A_PATHS, SKILL_OFFERS_URI } from "../../agent-card/build-agent-card.js";
import { toKeySet } from "../../src/accounts/key-folder.js";
import { OPERATION_OF_SKILL, SKILL_IDS, type SkillId } from "../../src/contract/operations.js";
import { toCanonicalJson } from "../../src/kernel/json.js";
import { parseUsd } from "../../src/kernel/money.js";
import { signingJwk, startA2a } from "./start-a2a.js";

t.test("the card names every way in, every skill that can answer and every price", async (t) => {
	const prices = {
		"graphs.search": { amountMicros: parseUsd("0.25"), billingType: "per_call" },
	} as const;
	const { baseUrl, grpcUrl, service } = await startA2a(t, { prices });
	const { card } = await fetchCard(baseUrl, "1.0");
	t.same(
		card.supportedInterfaces.map((way: Record<string, string>) => [
			way["protocolBinding"],
			way["protocolVersion"],
			way["url"],
		]),
		[
			["JSONRPC", "1.0", `${baseUrl}/a2a/jsonrpc`],
			["HTTP+JSON", "1.0", `${baseUrl}/a2a/rest`],
			["GRPC", "1.0", grpcUrl],
			["JSONRPC", "0.3", `${baseUrl}/a2a/jsonrpc`],
			["HTTP+JSON", "0.3", `${baseUrl}/a2a/rest`],
			["GRPC", "0.3", grpcUrl],
		],
	);
	const silent: readonly SkillId[] = [
		"get_context",
		"get_node",
		"neighbors",
		"find_paths",
		"find_similar",
		"consult_expert",
		"consult_analyst",
		"brand_intelligence",
		"embed_texts",
		"rerank",
		"compare_graphs",
		"graph_topics",
	];
	t.same(
		card.skills.map((skill: { id: string }) => skill.id),
		SKILL_IDS.filter((id) => !silent.includes(id)),
		"but for those that a catalog of one concept, and a server without models, cannot answer",
	);
	t.notMatch(JSON.stringify(card), /\$case/);
	t.match(card.capabilities, { streaming: true, pushNotifications: true });
	t.equal(card.securitySchemes.paymentSPT.apiKeySecurityScheme.name, "X-Pay-SPT");
	t.equal(card.version, "1.2.3");

	const extension = card.capabilities.extensions[0];
	t.equal(extension.uri, SKILL_OFFERS_URI);
	t.not(extension.required, true);
	const offer = extension.params.offers.find(({ id }: { id: string }) => id === "search_graph");
	t.match(offer, { aliases: ["graph_search"], price_usd: "0.25", billing_type: "per_call" });
	t.same(offer.input_schema.required, ["graph_id", "query"]);
	for (const { id, example_input } of extension.params.offers) {
		t.ok(
			service.skills[OPERATION_OF_SKILL[id as SkillId]].input.safeParse(example_input).success,
			id,
		);
	}
});

t.test("both cards carry a signature that verifies with the published key", async (t) => {
	const { baseUrl } = await startA2a(t);
	const keySet = { keys: [...toKeySet([signingJwk]).keys] };

	const { card } = await fetchCard(baseUrl, "1.0");
	const header = JSON.parse(Buffer.from(card.signatures[0].protected, "base64url").toString());
	t.match(header, {
		alg: "ES256",
		typ: "JOSE",
		kid: "card-key-1",
		jku: `${baseUrl}${A2A_PATHS.keys}`,
	});
	const verify = verifyAgentCardSignature(async (kid) => {
		const key = keySet.keys.find((candidate) => candidate.kid === kid);
		if (!key) throw new Error(`No key is called ${kid}.`);
		return key;
	});
	await t.resolves(verify(AgentCard.fromJSON(card)));
	const offers = card.capabilities.extensions[0].params.offers;
	offers[0].price_usd = "0.01";
	console.debug = () => undefined; // the SDK reports there every signature that fails
	await t.rejects(verify(AgentCard.fromJSON(card)), /No valid signatures/);

	const { signatures: both, ...served } = (await fetchCard(baseUrl, "1.0")).card;
	t.equal(both.length, 2);
	t.ok(served.securitySchemes && served.securityRequirements, "which the first one does not cover");
	const jwsOf = (document: object) => ({
		payload: Buffer.from(toCanonicalJson(document)).toString("base64url"),
		...both[1],
	});
	t.ok(await flattenedVerify(jwsOf(served), createLocalJWKSet(keySet)), "the whole of it");
	for (const changed of [{ securityRequirements: [] }, { securitySchemes: {} }, { name: "x" }]) {
		const forged = jwsOf({ ...served, ...changed });
		await t.rejects(flattenedVerify(forged, createLocalJWKSet(keySet)));
	}

	const { signatures, ...legacy } = (await fetchCard(baseUrl, "0.3")).card;
	const payload = Buffer.from(toCanonicalJson(legacy)).toString("base64url");
	const byHand = { payload, ...signatures[0] };
	t.ok(await flattenedVerify(byHand, createLocalJWKSet(keySet)));
	const forged = {
		...byHand,
		payload: Buffer.from(toCanonicalJson({ ...legacy, name: "x" })).toString("base64url"),
	};
	await t.rejects(flattenedVerify(forged, createLocalJWKSet(keySet)));
});

t.test(
	"a caller who names no version reads the card of 1.0, with no field it does not have",
	async (t) => {
		const { baseUrl } = await startA2a(t);
		const { card, headers } = await fetchCard(baseUrl, undefined);
		t.same(AgentCard.toJSON(AgentCard.fromJSON(card)), card);
		t.equal(card.supportedInterfaces[0].protocolVersion, "1.0");
		t.notOk("url" in card || "protocolVersion" in card);
		const named = await fetchCard(baseUrl, "1.0");
		t.same([named.card, named.headers.get("ETag")], [card, headers.get("ETag")]);
	},
);

t.test("a caller of version 0.3 reads the shape it knows", async (t) => {
	const { baseUrl } = await startA2a(t);
	const places = [
		{ version: "0.3" },
		{ version: "0.2.6" },
		{ path: `${A2A_PATHS.card}?A2A-Version=0.3` },
		{ path: `${A2A_PATHS.card}?A2A-Version=` },
		{ path: "/.well-known/agent.json" },
	];
	for (const { version, path } of places) {
		const { card } = await fetchCard(baseUrl, version, path);
		t.match(card, {
			protocolVersion: "0.3",
			url: `${baseUrl}/a2a/jsonrpc`,
			preferredTransport: "JSONRPC",
			additionalInterfaces: [{ url: `${baseUrl}/a2a/rest`, transport: "HTTP+JSON" }],
			securitySchemes: { paymentSPT: { type: "apiKey", in: "header", name: "X-Pay-SPT" } },
		});
		t.equal(card.supportedInterfaces.length, 6, "and finds the way to 1.0");
	}
});

t.test("a card that did not change is not sent again", async (t) => {
	const { baseUrl } = await startA2a(t);
	const { headers } = await fetchCard(baseUrl, "1.0");
	t.match(headers.get("Cache-Control"), /^public, max-age=\d+$/);
	t.equal(headers.get("Vary"), "A2A-Version");
	const etag = headers.get("ETag") ?? "";
	const again = await fetch(`${baseUrl}${A2A_PATHS.card}`, {
		headers: { "A2A-Version": "1.0", "If-None-Match": etag },
	});
	t.equal(again.status, 304);
	const other = await fetch(`${baseUrl}${A2A_PATHS.card}`, {
		headers: { "A2A-Version": "0.3", "If-None-Match": etag },
	});
	t.equal(other.status, 200, "the shape of 0.3 has a tag of its own");
});

async function fetchCard(
	baseUrl: string,
	version: string | undefined,
	path: string = A2A_PATHS.card,
) {
	const headers: Record<string, string> = version ? { "A2A-Version": version } : {};
	const response = await fetch(`${baseUrl}${path}`, { headers });
	// biome-ignore lint/suspicious/noExplicitAny: a test reads whatever fields it asserts on.
	return { headers: response.headers, card: (await response.json()) as any };
}
