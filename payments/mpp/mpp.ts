export { createChallengeIssuer } from "./challenge-issuer.js";
export { createEvmCharge } from "./evm-charge.js";
export {
	createPrepaidCharge,
	offerPrepaid,
	type PrepaidCharge,
	type PrepaidUse,
} from "./prepaid-charge.js";
