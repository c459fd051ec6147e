/** What the example requests about a graph name: nodes of the sample catalog. */
export const NODE_ID = "authorizations.eip-3009-transfer-with-authorization";
export const OTHER_ID = "authorizations.eip-712-typed-data";
export const GRAPH_PARAMS = { graph_id: "agent-payments" };
export const NODE_PARAMS = { ...GRAPH_PARAMS, node_id: NODE_ID };
