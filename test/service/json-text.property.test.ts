import fc from "fast-check";
import t from "tap";
import { parsePlainJson } from "../../src/http/request.js";

const UNSAFE = ["__proto__", "constructor", "prototype"];

t.test("every plain JSON reads as JSON.parse reads it, however it is written", (t) => {
	fc.assert(
		fc.property(
			fc.jsonValue({ maxDepth: 5 }),
			fc.constantFrom(undefined, 1, "\t"),
			(value, space) => {
				const text = JSON.stringify(value, undefined, space);
				if (UNSAFE.some((name) => text.includes(`"${name}":`))) return;
				t.same(parsePlainJson(text, 12), JSON.parse(text));
			},
		),
		{ numRuns: 300 },
	);
	t.end();
});

t.test("whatever the text is, it is read like JSON.parse or refused", (t) => {
	const pieces = fc.constantFrom(
		"{",
		"}",
		"[",
		"]",
		",",
		":",
		'"',
		"\\",
		'"a"',
		"1",
		" ",
		"\\u0061",
	);
	fc.assert(
		fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
			const text = parts.join("");
			try {
				t.same(parsePlainJson(text, 3), JSON.parse(text));
			} catch (error) {
				t.match(error, { code: "INVALID_ARGUMENT" });
			}
		}),
		{ numRuns: 1_000 },
	);
	t.end();
});

t.test("a name may stand once in an object, in whatever spelling", (t) => {
	const twice = [
		'{"a":1,"a":2}',
		'{"a":1,"\\u0061":2}',
		'{"b":{"a":1,"x":[],"a":1}}',
		'[{},{"a":{"a":1},"a":1}]',
		'{ "a" : "}" , "a" : 1 }',
	];
	for (const text of twice)
		t.throws(() => parsePlainJson(text, 12), /[".]a" stands there twice/, text);
	const once = ['{"a":{"a":[{"a":1},{"a":1}]}}', '[{"a":1},{"a":1}]', '{"a":"a","b":"a"}'];
	for (const text of once) t.same(parsePlainJson(text, 12), JSON.parse(text));
	t.end();
});

t.test("names that JavaScript gives a meaning are refused wherever they stand", (t) => {
	for (const name of UNSAFE) {
		for (const text of [`{"${name}":{"x":1}}`, `[{"a":{"b":1,"${name}":1}}]`]) {
			t.throws(() => parsePlainJson(text, 12), { code: "INVALID_ARGUMENT" }, text);
		}
		t.same(parsePlainJson(`{"a":"${name}","b":["${name}"]}`, 12), { a: name, b: [name] });
	}
	t.throws(() => parsePlainJson('{"\\u005f_proto__":1}', 12), /__proto__/);
	const deep = '{"a":[{},{"b":{"__proto__":1}}]}';
	t.throws(() => parsePlainJson(deep, 12), /"a[.]1[.]b[.]__proto__" is not a known field/);
	t.end();
});

t.test("depth is bounded before there are objects", (t) => {
	t.same(parsePlainJson("[[[]]]", 3), [[[]]]);
	t.throws(() => parsePlainJson("[[[[]]]]", 3), /deeper than 3 levels/);
	t.throws(() => parsePlainJson('{"a":{"a":{"a":{}}}}', 3), /deeper than 3 levels/);
	t.same(parsePlainJson('["[[[[[[", "{{{{"]', 3), ["[[[[[[", "{{{{"]);
	t.throws(() => parsePlainJson("[".repeat(60_000), 12), /deeper/);
	t.throws(() => parsePlainJson('{"a":'.repeat(10_000), 12), /deeper/);
	t.end();
});
