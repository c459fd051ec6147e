export { createChallengeIssuer } from "./challenge-issuer.js";
export { createEvmCharge } from "./evm-charge.js";
export { withPrepaidCharge } from "./prepaid-charge.js";
