export { DEMO_CHAIN_ID, DEMO_TOKEN, openDemoChain } from "./demo-chain.js";
