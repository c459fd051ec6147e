import { createInvariantGuard } from "../../../payments/audit/audit.js";
import {
	type BooksDigest,
	type BooksSource,
	type CopyHooks,
	countFreedKeys,
	digestBooks,
	findDifferences,
	type Store,
} from "../../../store/store.js";
import { type Clock, type ServiceError, unavailable } from "../../kernel/kernel.js";

/** What a crash leaves open is released by the next start: it says nothing of a copy. */
const LEFT_BY_A_CRASH = /^I5:/;

interface Books {
	readonly store: Store;
	readonly source: BooksSource;
}

interface CheckOptions extends CopyHooks {
	readonly clock: Clock;
	/** Documents count that expire after this moment. */
	readonly now: number;
}

/** The digest of books in which every invariant holds. Throws UNAVAILABLE for others: what is broken is not copied. */
export async function readSoundBooks(books: Books, options: CheckOptions): Promise<BooksDigest> {
	const [first] = await findBreaches(books.store, options.clock);
	if (first !== undefined) {
		throw unavailable(
			`The books do not add up, and nothing was moved. ${first} Run tollgraph ledger verify, and restore a backup where it finds the same.`,
			{ retryable: false },
		);
	}
	return digestBooks(books.source, options);
}

/** Throws UNAVAILABLE unless a copy is the same books, adds up by itself, and takes no key again that the original refuses. */
export async function assertSameBooks(
	{ original, copy }: { readonly original: BooksSource; readonly copy: Books },
	expected: BooksDigest,
	options: CheckOptions,
): Promise<void> {
	const found = await digestBooks(copy.source, options);
	const [different] = findDifferences(expected, found);
	if (different !== undefined) {
		const [one, other] = [expected, found].map((digest) => describePart(digest, different));
		throw spoiled(`${different} has ${one} in the original and ${other} in the copy`);
	}
	const freed = await countFreedKeys(original, copy.source);
	if (freed > 0) throw spoiled(`${freed} retry keys would be taken once more`);
	options.assertWanted?.();
	const [breach] = await findBreaches(copy.store, options.clock);
	if (breach !== undefined) throw spoiled(breach.replace(/\.$/, ""));
}

function describePart(digest: BooksDigest, name: string): string {
	const part = digest.parts.get(name);
	return part ? `${part.count} items of hash ${part.sha256.slice(0, 12)}` : "nothing";
}

async function findBreaches(store: Store, clock: Clock): Promise<readonly string[]> {
	const report = await createInvariantGuard({ store, clock }).check({ full: true });
	const found = report.failures.filter((failure) => !LEFT_BY_A_CRASH.test(failure));
	if (report.journal || found.length > 0) return found;
	throw unavailable("The books could not be read to the end. Run it again in a moment.");
}

function spoiled(problem: string): ServiceError {
	return unavailable(
		`The copy is not what was copied: ${problem}. Nothing sells from it, and the books are where they were. Run it again, which begins anew; where it comes to the same, leave the books where they are and report it.`,
		{ retryable: false },
	);
}
