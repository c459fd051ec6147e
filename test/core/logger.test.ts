import t from "tap";
import { scrubSecrets } from "../../src/core/logger.js";

t.test("what looks like a secret keeps its kind only", (t) => {
	for (const kind of ["sk_live_", "spt_live_", "spt_test_", "ct_", "adm_", "eyJ"]) {
		t.equal(scrubSecrets(`{"at":"${kind}0a1B.c-d_e"}`), `{"at":"${kind}…"}`);
	}
	t.equal(scrubSecrets("no secret here"), "no secret here");
	t.end();
});
