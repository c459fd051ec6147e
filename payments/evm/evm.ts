export { requireSixDecimals } from "./asset-decimals.js";
export { createChainReader } from "./chain-reader.js";
export { createEvmClient } from "./evm-client.js";
export { createEvmRpc, type EvmRpc } from "./evm-rpc.js";
export { createEvmWallet } from "./evm-wallet.js";
export { createLocalFacilitator } from "./local-facilitator.js";
export { createRemoteFacilitator } from "./remote-facilitator.js";
export { createTreasury } from "./treasury.js";
