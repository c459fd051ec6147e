export { createChainReader, requireSixDecimals } from "./chain-reader.js";
export { createEvmClient, createEvmRpc, type EvmRpc } from "./evm-client.js";
export { createEvmWallet, createTreasury } from "./evm-wallet.js";
export { createLocalFacilitator } from "./local-facilitator.js";
export { createRemoteFacilitator } from "./remote-facilitator.js";
export { createSendingTurns } from "./sending-turns.js";
