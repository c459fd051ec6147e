export { DEMO_CHAIN_ID, openDemoChain } from "./demo-chain.js";
export { DEMO_TOKEN } from "./demo-token.js";
