import t from "tap";
import {
	decodeBody,
	encodeBody,
	encodeOperations,
	putMark,
} from "../../../store/journal/operation.js";
import { encodeObject, type Operation, reviveMoney } from "../../../store/store.js";
import { posting, tokenRow } from "../open-test-store.js";

const row = tokenRow('tok_"a"', { expiresAt: 9 });
const put: Operation = { kind: "put", table: "tokens", row };
const gone: Operation = { kind: "delete", table: "tokens", id: "tok_a" };
const post: Operation = {
	kind: "post",
	transaction: posting("k", { "cash:manual": -1n, "cust:a": 12_345_678_901_234_567_890n }),
};

t.test("a frame's body is read as it was written", (t) => {
	const texts = [[put, gone], [post], []].map(encodeOperations);
	t.same(decodeBody(encodeBody(7, texts)), { at: 7, transactions: [[put, gone], [post], []] });
	t.same(JSON.parse(texts[0] ?? ""), [
		["p", "tokens", 'tok_"a"', { ...row, maxPerCallMicros: "500000" }],
		["d", "tokens", "tok_a"],
	]);
	t.equal(texts[2], "[]");
	t.equal(encodeBody(7, ["[1]", "[2]"]), '{"at":7,"tx":[[1],[2]]}');
	t.end();
});

t.test("a put is found by its mark, whatever its name", (t) => {
	for (const id of ["tok_a", 'a"b', "ä\n"]) {
		const text = encodeOperations([{ kind: "put", table: "tokens", row: tokenRow(id) }]);
		t.ok(text.includes(putMark("tokens", id)), id);
		t.notOk(text.includes(putMark("accounts", id)));
		t.notOk(text.includes(putMark("tokens", `${id}b`)));
		t.notOk(text.includes(putMark("tokens", id.slice(0, -1))));
	}
	t.end();
});

t.test("money is a decimal string under its name, at any depth, and nothing else is", (t) => {
	const value = {
		...{ aMicros: 1n, none: null, text: "5", flag: false },
		list: [{ bMicros: -2n }, null, 3, "4", [{ cMicros: 0n }]],
		deep: { deeper: { dMicros: 9_007_199_254_740_993n } },
	};
	const text = encodeObject(value);
	t.equal(
		text,
		'{"aMicros":"1","none":null,"text":"5","flag":false,"list":[{"bMicros":"-2"},null,3,"4",[{"cMicros":"0"}]],"deep":{"deeper":{"dMicros":"9007199254740993"}}}',
	);
	t.strictSame(reviveMoney(JSON.parse(text)), value);
	t.equal(reviveMoney(null), null);
	t.equal(reviveMoney("5"), "5");
	for (const name of ["amount", "microsAmount", "MicrosOf"])
		t.throws(() => encodeObject({ [name]: 1n }), {
			name: "TypeError",
			message: `The field "${name}" holds a bigint, so its name must end in "Micros".`,
		});
	t.end();
});

t.test("what is no body of ours is none", (t) => {
	for (const text of ["", "{", "null", "{}", '{"at":1}']) t.throws(() => decodeBody(text), text);
	t.end();
});
