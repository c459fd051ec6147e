import Ajv from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import t from "tap";
import { ERROR_CODES } from "../../src/kernel/errors.js";
import { INTERFACE_VERSION } from "../../src/service/discovery.js";
import { startRest } from "./start-rest.js";

interface Reply {
	readonly data: Record<string, unknown> & { items: Record<string, unknown>[] };
}

async function read(url: string): Promise<Reply["data"]> {
	const reply = await fetch(url);
	return ((await reply.json()) as Reply).data;
}

t.test("every error code is listed with its status and the way on", async (t) => {
	const { baseUrl } = await startRest(t);
	const { items } = await read(`${baseUrl}/v1/errors`);
	t.same(
		items.map(({ code }) => code),
		ERROR_CODES,
	);
	t.match(
		items.find(({ code }) => code === "RATE_LIMITED"),
		{ status: 429, retryable: true },
	);
	t.match(
		items.find(({ code }) => code === "NOT_FOUND"),
		{ status: 404, retryable: false },
	);
	for (const { meaning, what_to_do } of items) t.ok(meaning && what_to_do);
});

t.test("the versions are those of the description and the change log", async (t) => {
	const { baseUrl } = await startRest(t);
	const version = await read(`${baseUrl}/v1/version`);
	const described = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as {
		openapi: string;
		info: { version: string };
	};
	t.equal(version["interface"], described.info.version);
	t.equal(version["interface"], "1.7.0");
	t.equal(version["openapi"], described.openapi);
	const { items } = await read(`${baseUrl}/v1/changelog`);
	t.equal(items[0]?.["version"], INTERFACE_VERSION);
});

t.test("a named schema stands by itself and judges what the service answers", async (t) => {
	const { baseUrl } = await startRest(t);
	const { schema } = await read(`${baseUrl}/v1/schemas/GraphList`);
	const ajv = new Ajv.Ajv2020({ strict: false });
	addFormats.default(ajv);
	const judge = ajv.compile(schema as object);
	t.ok(judge(await read(`${baseUrl}/v1/graphs/catalog`)), ajv.errorsText(judge.errors));
	t.notOk(judge({ items: [{ id: "without-the-rest" }] }));
});

t.test("every name under components.schemas can be read, any other is 404", async (t) => {
	const { baseUrl } = await startRest(t);
	const described = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as {
		components: { schemas: object };
	};
	const ajv = new Ajv.Ajv2020({ strict: false });
	addFormats.default(ajv);
	for (const name of Object.keys(described.components.schemas)) {
		const { schema } = await read(`${baseUrl}/v1/schemas/${name}`);
		t.doesNotThrow(() => ajv.compile(schema as object), name);
	}
	for (const name of ["NoSuchThing", "constructor", "toString"]) {
		t.equal((await fetch(`${baseUrl}/v1/schemas/${name}`)).status, 404, name);
	}
	t.equal((await fetch(`${baseUrl}/v1/schemas/__proto__`)).status, 400);
});

t.test("the service is ready while a paid call could be answered", async (t) => {
	const { baseUrl } = await startRest(t);
	t.match(await read(`${baseUrl}/v1/ready`), { ready: true, graphs: 2 });
});

t.test("the catalog as linked data names every graph and holds no content", async (t) => {
	const { baseUrl } = await startRest(t);
	const reply = await fetch(`${baseUrl}/v1/catalog.jsonld`);
	t.match(reply.headers.get("content-type"), /^application\/ld\+json/);
	const catalog = (await reply.json()) as { dataset: { identifier: string }[] };
	const { items } = await read(`${baseUrl}/v1/graphs/catalog`);
	t.same(
		catalog.dataset.map(({ identifier }) => identifier),
		items.map(({ id }) => id),
	);
	t.notOk(catalog.dataset.some((dataset) => "hasDefinedTerm" in dataset));
});
