import t from "tap";
import { createArtifactRepository } from "../../src/artifacts/artifact-repository.js";
import type { ArtifactRepository, KeptResult } from "../../src/contract/artifacts.js";
import type { Admission } from "../../src/sales/cashier.js";
import type { OpenedCall } from "../../src/sales/invoke.js";
import { keepResult, tellKeptUntil } from "../../src/sales/invoke.js";
import type { Store } from "../../store/store-port.js";
import { createMemoryStore } from "../a2a/memory-store.js";
import { manualClock } from "../support/manual-clock.js";

const clock = manualClock("2026-03-01T12:00:00Z");
const payer = { owner: "spt_one", rail: "spt" } as NonNullable<OpenedCall["payer"]>;
const opened = (kind: Admission["kind"]) => ({
	payer,
	admission: { kind } as OpenedCall["admission"],
});
const DOSSIER: KeptResult = { kind: "dossier", id: "dos_one", data: { topic: "secret topic" } };

/** A repository over a store, and what was logged. */
function start(store: Store = createMemoryStore()) {
	const logged: unknown[] = [];
	const artifacts: ArtifactRepository = createArtifactRepository({ store, clock, ttlMs: 1_000 });
	const logger = { error: (...line: unknown[]) => void logged.push(line) };
	const keep = (kind: Admission["kind"]) =>
		keepResult({ artifacts, logger }, opened(kind), DOSSIER);
	return { artifacts, logged, keep };
}

t.test("a call that is sent again finds what is kept, and keeps nothing again", async (t) => {
	const { artifacts, keep } = start();
	const expiresAt = await keep("held");
	t.equal(expiresAt, clock.now() + 1_000);
	t.equal(await keep("replayed"), expiresAt);
	t.ok(await artifacts.remove(payer, "dossier", DOSSIER.id));
	t.equal(await keep("replayed"), undefined);
	t.equal(await artifacts.find(payer, "dossier", DOSSIER.id), undefined, "deleted stays deleted");
	t.ok(await keep("free"));
});

t.test("what could not be kept is logged without its text, and not promised", async (t) => {
	const store = createMemoryStore();
	const documents = {
		...store.documents,
		put: () => Promise.reject(new Error("ENOSPC: no space left on device")),
	};
	const { keep, logged } = start({ ...store, documents });
	t.equal(await keep("held"), undefined);
	t.match(JSON.stringify(logged), /could not be kept.*ENOSPC/);
	t.notMatch(JSON.stringify(logged), /secret topic/);
	t.equal(await keepResult({}, opened("held"), DOSSIER), undefined);
});

t.test("an answer says until when it is kept, and null when it is not", (t) => {
	const promised = { ok: true, data: { kept_until: "2026-03-02T12:00:00.000Z", topic: "a" } };
	t.same(tellKeptUntil(promised, undefined), { ok: true, data: { kept_until: null, topic: "a" } });
	t.match(tellKeptUntil(promised, clock.now()), {
		data: { kept_until: "2026-03-01T12:00:00.000Z" },
	});
	for (const other of [{ ok: true, rows: [] }, { data: { kept_until: null } }, { data: {} }]) {
		t.equal(tellKeptUntil(other, clock.now()), other);
	}
	t.end();
});
