import fc from "fast-check";
import t from "tap";
import { systemRandom } from "../../src/kernel/ids.js";
import { createSecret, hashSecret, isWellFormedSecret } from "../../src/kernel/secrets.js";

const PREFIX = "spt_test_";

t.test("every secret we make is well-formed", async () => {
	fc.assert(
		fc.property(fc.uint8Array({ minLength: 60, maxLength: 60 }), (seed) => {
			let calls = 0;
			// Bytes above 247 are skipped; later draws must still end.
			const bytes = (length: number) =>
				calls++ === 0 ? seed.slice(0, length) : systemRandom.bytes(length);
			return isWellFormedSecret(createSecret(PREFIX, { bytes }), PREFIX);
		}),
	);
});

t.test("a single wrong character is caught without a look-up", async () => {
	const secret = createSecret(PREFIX, systemRandom);
	fc.assert(
		fc.property(
			fc.integer({ min: PREFIX.length, max: secret.length - 1 }),
			fc.constantFrom(..."0aZ9x"),
			(position, char) => {
				const typo = secret.slice(0, position) + char + secret.slice(position + 1);
				return typo === secret || !isWellFormedSecret(typo, PREFIX);
			},
		),
	);
});

t.test("a token of the other environment is not well-formed here", async (t) => {
	t.notOk(isWellFormedSecret(createSecret("spt_live_", systemRandom), PREFIX));
});

t.test("what is stored depends on the pepper and hides the secret", async (t) => {
	const secret = createSecret(PREFIX, systemRandom);
	const [a, b] = [systemRandom.bytes(32), systemRandom.bytes(32)];
	t.equal(hashSecret(secret, a), hashSecret(secret, a));
	t.not(hashSecret(secret, a), hashSecret(secret, b));
	t.notMatch(hashSecret(secret, a), secret.slice(PREFIX.length));
});
