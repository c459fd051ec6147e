/** The store's port, its tables and what their rows hold. */

export * from "./rows/account-rows.js";
export * from "./rows/call-rows.js";
export * from "./rows/notification-rows.js";
export * from "./rows/payment-rows.js";
export * from "./rows/result-rows.js";
export * from "./store-port.js";
export * from "./tables.js";
