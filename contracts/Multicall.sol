// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

/// Several calls in one, for the demo chain: the part of Multicall3 that wallets and facilitators use.
contract Multicall {
	struct Call {
		address target;
		bytes callData;
	}

	struct Call3 {
		address target;
		bool allowFailure;
		bytes callData;
	}

	struct Result {
		bool success;
		bytes returnData;
	}

	function tryAggregate(
		bool requireSuccess,
		Call[] calldata calls
	) external payable returns (Result[] memory results) {
		results = new Result[](calls.length);
		for (uint256 i = 0; i < calls.length; i++) {
			results[i] = _call(calls[i].target, !requireSuccess, calls[i].callData);
		}
	}

	function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
		results = new Result[](calls.length);
		for (uint256 i = 0; i < calls.length; i++) {
			results[i] = _call(calls[i].target, calls[i].allowFailure, calls[i].callData);
		}
	}

	function _call(
		address target,
		bool allowFailure,
		bytes calldata callData
	) private returns (Result memory) {
		(bool success, bytes memory returnData) = target.call(callData);
		require(success || allowFailure, "Multicall3: call failed");
		return Result(success, returnData);
	}
}
