/** A price above what its payer agreed to is a question to the client's user, where the client can ask (docs/adr/0070). */

import {
	type InputRequiredResult,
	inputRequired,
	ProtocolError,
	type ServerContext,
} from "@modelcontextprotocol/server";
import { PriceNotAgreed } from "../../payments/payments.js";
import type { Call, Json } from "../contract/contract.js";
import { invalidArgument, type Micros, parseUsd } from "../kernel/kernel.js";
import type { Service } from "../service/service.js";
import { capabilitiesOf, INVALID_PARAMS } from "./envelope.js";
import type { Meta } from "./payment-meta.js";

const MAX_PRICE = "tollgraph/max-price-usd";
const QUESTION = "price";

/** What a call of a tool says of its price. */
export interface PriceTerms {
	/** Most that is paid without asking. */
	readonly maxMicros: Micros | undefined;
	/** Whether the client can put a question to its user. */
	readonly canAsk: boolean;
	/** What the user said when asked before, and the quote that they were shown. */
	readonly answer: { readonly quoteId: string; readonly isAgreed: boolean } | undefined;
}

/** Throws INVALID_ARGUMENT for a most that is no amount. */
export function readPriceTerms(context: ServerContext): PriceTerms {
	const { _meta: meta, inputResponses = {} } = context.mcpReq;
	const { elicitation } = capabilitiesOf(context);
	const quoteId = context.mcpReq.requestState<unknown>();
	const said = inputResponses[QUESTION] as { readonly action?: unknown } | undefined;
	const hasAnswered = typeof quoteId === "string" && said?.action !== undefined;
	return {
		maxMicros: readMost(meta),
		// One that declares nothing of it can show forms.
		canAsk: elicitation !== undefined && (elicitation.form !== undefined || !elicitation.url),
		answer: hasAnswered ? { quoteId, isAgreed: said.action === "accept" } : undefined,
	};
}

function readMost(meta: Meta | undefined): Micros | undefined {
	const most = meta?.[MAX_PRICE];
	if (most === undefined) return undefined;
	if (typeof most === "string") return parseUsd(most);
	throw invalidArgument(`"_meta.${MAX_PRICE}" must be an amount in USD, a string such as "0.50".`);
}

interface QuoteWire {
	readonly quote_id: string;
	readonly status: string;
	readonly amount_usd: string;
	readonly request_hash: string;
}

type Bought = Pick<Call, "operationId" | "rawInput">;

async function quoteOf(service: Service, { operationId, rawInput }: Bought): Promise<QuoteWire> {
	const { quotes } = service.free.payments;
	return asQuote(await quotes.create({ operation: operationId, input: rawInput as never }));
}

const asQuote = (quote: Json): QuoteWire => quote as unknown as QuoteWire;

/**
 * The quote that the user agreed to, if it still stands and is of this very call: otherwise they are asked again. Throws
 * SPENDING_LIMIT where they did not agree, and ProtocolError for a state that is not ours.
 */
export async function findAgreedQuote(
	service: Service,
	{ answer }: PriceTerms,
	bought: Bought,
): Promise<string | undefined> {
	if (!answer) return undefined;
	const shown = openQuote(service, answer.quoteId);
	if (!answer.isAgreed) {
		throw new PriceNotAgreed("The user did not agree to the price", parseUsd(shown.amount_usd));
	}
	const { request_hash } = await quoteOf(service, bought);
	const isOfThis = shown.status === "valid" && shown.request_hash === request_hash;
	return isOfThis ? shown.quote_id : undefined;
}

function openQuote({ free }: Service, quoteId: string): QuoteWire {
	try {
		return asQuote(free.payments.quotes.get(quoteId));
	} catch {
		throw new ProtocolError(INVALID_PARAMS, "The request state is not what was given out.");
	}
}

/** A call that waits for its user's answer: thrown where nothing was run or held. */
export class PriceQuestion extends Error {
	readonly result: InputRequiredResult;

	constructor(message: string, quoteId: string) {
		super(message);
		this.name = "PriceQuestion";
		const requestedSchema = { type: "object", properties: {} } as const;
		this.result = inputRequired({
			inputRequests: { [QUESTION]: inputRequired.elicit({ message, requestedSchema }) },
			requestState: quoteId,
		});
	}
}

/** The question that a refusal becomes. */
export async function toPriceQuestion(
	service: Service,
	{ limit }: PriceNotAgreed,
	bought: Bought & { readonly name: string },
): Promise<PriceQuestion> {
	const { quote_id, amount_usd } = await quoteOf(service, bought);
	return new PriceQuestion(`Pay ${amount_usd} USD for ${bought.name}? ${limit}.`, quote_id);
}
