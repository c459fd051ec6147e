/** Asks products questions one call at a time, so that times are those of one caller. */
import { systemClock } from "../../src/kernel/clock.js";
import type { ProductServer } from "./product-server.js";
import { type AskedQuestion, PRODUCTS, type Product, type ProductName } from "./products.js";
import { createEvidenceReader, type ReadEvidence, type ReplyEvidence } from "./reply-evidence.js";
import { toReplyText } from "./reply-text.js";

const PROGRESS_EVERY = 10;

export interface ProductReply<Question extends AskedQuestion> {
	readonly asked: Question;
	readonly product: ProductName;
	readonly isCharged: boolean;
	readonly evidence: ReplyEvidence;
	/** As a caller who reads text gets it. */
	readonly text: string;
	readonly ms: number;
}

export type FailedCall<Question extends AskedQuestion> = Pick<
	ProductReply<Question>,
	"asked" | "product"
>;

interface ProductReplies<Question extends AskedQuestion> {
	readonly replies: readonly ProductReply<Question>[];
	/** Calls that broke off: they say nothing about the answers. */
	readonly failed: readonly FailedCall<Question>[];
}

export async function askProducts<Question extends AskedQuestion>(
	server: ProductServer,
	questions: readonly Question[],
	products: readonly ProductName[],
): Promise<ProductReplies<Question>> {
	const read = createEvidenceReader(server.graphs);
	const replies: ProductReply<Question>[] = [];
	const failed: FailedCall<Question>[] = [];
	for (const [at, asked] of questions.entries()) {
		const caller = await server.openCaller();
		for (const product of products) {
			try {
				replies.push(await askOne(read, caller, { asked, product }));
			} catch (error) {
				failed.push({ asked, product });
				process.stderr.write(`  ${product} failed: ${String(error).slice(0, 200)}\n`);
			}
		}
		const done = at + 1;
		if (done % PROGRESS_EVERY === 0) process.stderr.write(`  ${done} of ${questions.length}\n`);
	}
	return { replies, failed };
}

type Caller = Parameters<Product["ask"]>[0];

async function askOne<Question extends AskedQuestion>(
	read: ReadEvidence,
	caller: Caller,
	{ asked, product }: { readonly asked: Question; readonly product: ProductName },
): Promise<ProductReply<Question>> {
	const startedMs = systemClock.monotonicMs();
	const bought = await PRODUCTS[product].ask(caller, asked);
	const ms = systemClock.monotonicMs() - startedMs;
	const evidence = read(bought.data);
	const text = toReplyText(PRODUCTS[product], bought, evidence);
	return { asked, product, isCharged: bought.isCharged, evidence, text, ms };
}
