import fc from "fast-check";
import { exampleOf, type Operation, type Schema } from "./described-operations.js";

/** One request to an operation: nearly its example, with one thing made hostile. */
export interface HostileRequest {
	readonly what: string;
	readonly path: string;
	readonly query: Readonly<Record<string, string>>;
	readonly body: string | undefined;
}

const HOSTILE_TEXTS = [
	"",
	" ",
	"\u0000",
	"a\r\nX-Injected: yes",
	"../../../../etc/passwd",
	"' OR 1=1 --",
	"<script>alert(1)</script>",
	"$" + "{jndi:ldap://127.0.0.1/a}",
	"__proto__",
	"constructor",
	"\u202eabc\u2066",
	"😀".repeat(50),
	"(((((a+)+)+)+)+)$",
	"%00%ff",
	"x".repeat(5_000),
	"-1",
	"1e309",
	"NaN",
	"99999999999999999999",
	"2026-13-45",
	"null",
	"[]",
	"{}",
] as const;

const WRONG_VALUES: readonly unknown[] = [
	null,
	true,
	-1,
	0.5,
	1e308,
	99_999,
	[],
	[null],
	[[[[[[]]]]]],
	{},
	{ toString: 1 },
	...HOSTILE_TEXTS,
];

const BROKEN_BODIES = [
	"",
	"{",
	"null",
	"[]",
	"42",
	'"text"',
	'{"a":1}trailing',
	'{"__proto__":{"x":1}}',
	'{"constructor":{"prototype":{"x":1}}}',
	`${'{"a":'.repeat(200)}1${"}".repeat(200)}`,
	"{'query':'single'}",
	'{"query":"\\ud800"}',
	"\ufeff{}",
] as const;

/** `count` requests of one operation, the same for the same seed of the run. */
export function hostileRequests(operation: Operation, count: number): readonly HostileRequest[] {
	return fc.sample(fc.oneof(...mutationsOf(operation)), count);
}

function mutationsOf(operation: Operation): fc.Arbitrary<HostileRequest>[] {
	const { parameters, body } = operation;
	const example = exampleOf(operation);
	const inPath = parameters.filter((one) => one.in === "path");
	const inQuery = parameters.filter((one) => one.in === "query");
	const text = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ maxLength: 80 }));
	const unknownQuery = text.map((value) => ({
		...example,
		what: "unknown query parameter",
		query: { ...example.query, no_such_parameter: value },
	}));
	return [
		unknownQuery,
		...inPath.map(({ name }) =>
			text.map((value) => ({
				...example,
				what: `path ${name}`,
				path: exampleOf(operation, { [name]: value || "%20" }).path,
			})),
		),
		...inQuery.map(({ name }) =>
			text.map((value) => ({
				...example,
				what: `query ${name}`,
				query: { ...example.query, [name]: value },
			})),
		),
		...(body ? bodyMutations(body, example) : []),
	];
}

type Example = ReturnType<typeof exampleOf>;

function bodyMutations(
	{ schema, example: sound }: NonNullable<Operation["body"]>,
	example: Example,
): fc.Arbitrary<HostileRequest>[] {
	const good = sound as Record<string, unknown>;
	const names = [...new Set([...Object.keys(schema.properties ?? {}), ...Object.keys(good)])];
	const withBody = (what: string, body: unknown) => ({
		...example,
		what,
		body: typeof body === "string" ? body : JSON.stringify(body),
	});
	const wrong = fc.oneof(fc.constantFrom(...WRONG_VALUES), fc.jsonValue({ maxDepth: 3 }));
	const field = names.length > 0 ? fc.constantFrom(...names) : fc.constant("no_such_field");
	return [
		fc.constantFrom(...BROKEN_BODIES).map((body) => withBody("broken body", body)),
		fc
			.tuple(field, wrong)
			.map(([name, value]) => withBody(`body ${name}`, { ...good, [name]: value })),
		fc.constantFrom(...requiredOf(schema)).map((name) => {
			const { [name]: _left, ...rest } = good;
			return withBody(`body without ${name}`, rest);
		}),
		wrong.map((value) => withBody("unknown field", { ...good, no_such_field: value })),
	];
}

function requiredOf({ required }: Schema): readonly string[] {
	return required && required.length > 0 ? required : ["no_such_field"];
}
