import { createHmac } from "node:crypto";
import type { ArtifactRow, Store } from "../../store/store.js";
import {
	type Artifact,
	type ArtifactKind,
	type ArtifactRepository,
	type Caller,
	grantIdOf,
	type KeptResult,
	keepsText,
	LIMITS,
	mayRead,
	maySeeAgain,
	readCursor,
	type SkillContext,
	STAGED_TURN,
	takePage,
} from "../contract/contract.js";
import {
	type Clock,
	firstPepperOf,
	type IdKind,
	type Ids,
	type Pepper,
	siblingId,
	timeOfId,
	toIdLetters,
} from "../kernel/kernel.js";

interface ArtifactStageDeps {
	readonly store: Pick<Store, "documents">;
	readonly clock: Clock;
	/** How long a result can be read again. */
	readonly ttlMs?: number;
}

/** Keeps result text in `documents`, one for each row; see docs/adr/0012. */
export function createArtifactRepository(
	deps: ArtifactStageDeps & { readonly store: Store },
): ArtifactRepository {
	const { store, clock } = deps;
	const findRow = async (
		caller: Pick<Caller, "owner" | "access">,
		kind: ArtifactKind,
		id: string,
	) => {
		const row = await store.read((reader) => reader.get("artefacts", id));
		const isOpen = row?.kind === kind && row.expiresAt > clock.now() && mayRead(caller, row);
		return isOpen ? row : undefined;
	};
	return {
		async keep(caller, result) {
			const row = await stageArtifact(deps, caller, result);
			if (!row) return undefined;
			await store.transaction((tx) => tx.put("artefacts", row));
			return row.expiresAt;
		},

		async find(caller, kind, id) {
			const row = await findRow(caller, kind, id);
			const text = row && (await store.documents.get(row.id));
			return text === undefined || !row ? undefined : toArtifact(row, text);
		},

		async list({ owner, access }, kind, { limit, cursor }) {
			const identity = { list: `artifacts.${kind}`, asked: {} };
			const [before] = cursor === undefined ? [] : readCursor(cursor, identity, 1);
			const rows = await store.read((reader) => reader.findBy("artefacts", "owner", owner));
			const mine = rows
				.filter((row) => row.kind === kind && row.expiresAt > clock.now())
				.filter((row) => maySeeAgain(access, row.grantId) && (!before || row.id < before))
				.sort((a, b) => (a.id < b.id ? 1 : -1));
			const { page, next_cursor } = takePage(mine, limit, identity, ({ id }) => [id]);
			return {
				items: page.map(({ id, createdAt, expiresAt }) => ({ id, kind, createdAt, expiresAt })),
				next_cursor,
			};
		},

		async remove(caller, kind, id) {
			const row = await findRow(caller, kind, id);
			if (!row) return false;
			// Text first: what a crash leaves is a row that can be deleted again.
			await store.documents.delete(id);
			await store.transaction((tx) => tx.delete("artefacts", id));
			return true;
		},
	};
}

/**
 * The text of a result, which no one can read before its row is put too, by anyone who says that it was paid for. Undefined for
 * callers whose account has zero retention; durable before it resolves, and gone with its time where no row follows.
 */
export async function stageArtifact(
	{ store, clock, ttlMs = LIMITS.artifactTtlMs }: ArtifactStageDeps,
	caller: Pick<Caller, "owner" | "access" | "keepsNoText">,
	{ kind, id, data }: KeptResult,
): Promise<ArtifactRow | undefined> {
	if (!keepsText(caller)) return undefined;
	const { owner, access } = caller;
	const createdAt = clock.now();
	const expiresAt = createdAt + ttlMs;
	// Text first: a row never points to a text that is missing.
	await store.documents.put(id, JSON.stringify(data), expiresAt);
	return { id, owner, grantId: grantIdOf(access), kind, createdAt, expiresAt };
}

/** Everything of one owner that is still there, for exports. */
export async function* artifactsOf(
	store: Pick<Store, "read" | "documents">,
	owner: string,
): AsyncIterable<Artifact> {
	const rows = await store.read((reader) => reader.findBy("artefacts", "owner", owner));
	for (const row of rows.filter(({ kind }) => kind !== STAGED_TURN)) {
		const text = await store.documents.get(row.id);
		if (text !== undefined) yield toArtifact(row, text);
	}
}

function toArtifact({ id, kind, createdAt, expiresAt }: ArtifactRow, text: string): Artifact {
	return { id, kind: kind as ArtifactKind, data: JSON.parse(text), createdAt, expiresAt };
}

/** The id of what a call leaves behind. */
export type ResultIds = ReturnType<typeof createResultIds>;

const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

/**
 * The same id when a paid call is sent again under its retry key, so that its result is kept once. It is derived from the
 * hold, or from the payment on a chain that needed none, under a secret: who sees a receipt cannot know what it paid for.
 * Calls that nothing was paid for get a new one each time.
 */
export function createResultIds({ ids, secret }: { ids: Ids; secret: Pepper }) {
	return (kind: IdKind, { callId, caller }: Pick<SkillContext, "callId" | "caller">): string => {
		const isHold = callId.startsWith("hold_") && timeOfId(callId) !== undefined;
		if (!isHold && !PAYMENT_ID.test(callId)) return ids.next(kind);
		const named = `${kind}\n${caller?.owner ?? ""}\n${callId}`;
		const digest = createHmac("sha256", firstPepperOf(secret)).update(named).digest();
		const chars = toIdLetters(digest);
		const random = chars.slice(0, RANDOM_CHARS);
		if (isHold) return `${siblingId(callId, kind).slice(0, -RANDOM_CHARS)}${random}`;
		// A payment's id states no time; the first digit keeps it one that an id can have.
		return `${kind}_0${chars.slice(-(TIME_CHARS - 1))}${random}`;
	};
}

const PAYMENT_ID = /^pay_[0-9a-f]{32}$/;
