import type { VNode } from "preact";
import { renderToString } from "preact-render-to-string";
import t from "tap";
import { type ErrorCode, ServiceError } from "../../src/kernel/kernel.js";
import { asksForPage, toRefusalPage } from "../../src/rest/refusal-page.js";

const textOf = (code: ErrorCode) =>
	renderToString(toRefusalPage(new ServiceError(code, "Why it is so.")).content as VNode);

t.test("a page promises that nothing was charged only where that is known", (t) => {
	for (const code of ["NOT_FOUND", "INVALID_ARGUMENT", "RATE_LIMITED"] as const)
		t.match(textOf(code), /Why it is so.*Nothing was charged/, code);
	for (const code of ["SETTLEMENT_UNKNOWN", "IDEMPOTENCY_IN_FLIGHT", "UNAVAILABLE"] as const) {
		t.match(textOf(code), /Why it is so/, code);
		t.notMatch(textOf(code), /Nothing was charged/, code);
	}
	t.end();
});

t.test("what shows a credential is a program, whatever it says it reads", (t) => {
	const asks = (headers: Record<string, string>, method = "GET") =>
		asksForPage({ method, headers, accepts: (() => "text/html") as never });
	t.ok(asks({}));
	t.notOk(asks({}, "PUT"));
	for (const name of [
		...["authorization", "x-pay-spt", "x-api-key"],
		...["payment-signature", "x-payment"],
	])
		t.notOk(asks({ [name]: "x" }), name);
	t.end();
});
