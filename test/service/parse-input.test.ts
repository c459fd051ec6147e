import t from "tap";
import { z } from "zod";
import { parseInput } from "../../src/contract/parse-input.js";
import { ServiceError } from "../../src/kernel/errors.js";

const schema = z.strictObject({
	name: z.string().trim(),
	size: z.int("must be a whole number").default(3),
	filter: z.strictObject({ kind: z.enum(["a", "b"]) }).optional(),
});

function refusalOf(raw: unknown): ServiceError {
	try {
		parseInput(schema, raw);
	} catch (error) {
		if (error instanceof ServiceError) return error;
	}
	throw new Error("The input was accepted.");
}

t.test("an input that fits comes back with its defaults", (t) => {
	t.same(parseInput(schema, { name: " x " }), { name: "x", size: 3 });
	t.end();
});

t.test("each mistake is named by its place", (t) => {
	const refusal = refusalOf({ size: "big", filter: { kind: "a", more: 1 }, extra: 2 });
	t.equal(refusal.code, "INVALID_ARGUMENT");
	t.same(refusal.details, [
		{ path: "name", message: "is required" },
		{ path: "size", message: "must be a whole number" },
		{ path: "filter.more", message: "is not a known field" },
		{ path: "extra", message: "is not a known field" },
	]);
	t.equal(refusal.message, 'The request is not valid: "name" is required.');
	t.end();
});

t.test("an input that is no object is refused as such, whatever it is", (t) => {
	for (const raw of [null, [], "text", 7, true]) {
		t.same(refusalOf(raw).details, [{ path: "", message: "must be an object" }]);
	}
	t.equal(refusalOf(null).message, "The request is not valid: the input must be an object.");
	t.end();
});

t.test("a flood of unknown fields is answered with a few", (t) => {
	const flood = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, 1]));
	t.equal(refusalOf({ name: "x", ...flood }).details?.length, 20);
	t.end();
});
