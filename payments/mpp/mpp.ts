export { createEvmCharge } from "./evm-charge.js";
export { createChallengeIssuer } from "./payment-challenge.js";
export { withPrepaidCharge } from "./prepaid-charge.js";
