// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

interface IERC1271 {
	function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4);
}

/// Money of the demo chain: an ERC-20 with the transfers by signature of EIP-3009, worth nothing anywhere.
/// The texts of its refusals are those that facilitators know from USDC.
contract TestUSDC {
	string public constant name = "USDC";
	string public constant symbol = "USDC";
	string public constant version = "2";
	uint8 public constant decimals = 6;

	bytes32 public constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH =
		keccak256(
			"TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
		);
	bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH =
		keccak256(
			"ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
		);
	bytes32 public constant CANCEL_AUTHORIZATION_TYPEHASH =
		keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");
	bytes32 private constant DOMAIN_TYPEHASH =
		keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
	/// Half the order of secp256k1: signatures with a higher s are the same ones mirrored, and refused.
	uint256 private constant S_MAX = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;

	address public immutable minter = msg.sender;
	uint256 public totalSupply;
	mapping(address => uint256) public balanceOf;
	mapping(address => mapping(address => uint256)) public allowance;
	/// True once an authorization was used or canceled.
	mapping(address => mapping(bytes32 => bool)) public authorizationState;

	event Transfer(address indexed from, address indexed to, uint256 value);
	event Approval(address indexed owner, address indexed spender, uint256 value);
	event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
	event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

	struct Authorization {
		address from;
		address to;
		uint256 value;
		uint256 validAfter;
		uint256 validBefore;
		bytes32 nonce;
	}

	function DOMAIN_SEPARATOR() public view returns (bytes32) {
		return
			keccak256(
				abi.encode(
					DOMAIN_TYPEHASH,
					keccak256(bytes(name)),
					keccak256(bytes(version)),
					block.chainid,
					address(this)
				)
			);
	}

	function mint(address to, uint256 value) external {
		require(msg.sender == minter, "TestUSDC: caller is not the minter");
		totalSupply += value;
		balanceOf[to] += value;
		emit Transfer(address(0), to, value);
	}

	function transfer(address to, uint256 value) external returns (bool) {
		_transfer(msg.sender, to, value);
		return true;
	}

	function approve(address spender, uint256 value) external returns (bool) {
		allowance[msg.sender][spender] = value;
		emit Approval(msg.sender, spender, value);
		return true;
	}

	function transferFrom(address from, address to, uint256 value) external returns (bool) {
		uint256 allowed = allowance[from][msg.sender];
		require(allowed >= value, "ERC20: transfer amount exceeds allowance");
		if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - value;
		_transfer(from, to, value);
		return true;
	}

	function transferWithAuthorization(
		address from,
		address to,
		uint256 value,
		uint256 validAfter,
		uint256 validBefore,
		bytes32 nonce,
		uint8 v,
		bytes32 r,
		bytes32 s
	) external {
		_move(
			TRANSFER_WITH_AUTHORIZATION_TYPEHASH,
			Authorization(from, to, value, validAfter, validBefore, nonce),
			abi.encodePacked(r, s, v)
		);
	}

	function transferWithAuthorization(
		address from,
		address to,
		uint256 value,
		uint256 validAfter,
		uint256 validBefore,
		bytes32 nonce,
		bytes memory signature
	) external {
		_move(
			TRANSFER_WITH_AUTHORIZATION_TYPEHASH,
			Authorization(from, to, value, validAfter, validBefore, nonce),
			signature
		);
	}

	function receiveWithAuthorization(
		address from,
		address to,
		uint256 value,
		uint256 validAfter,
		uint256 validBefore,
		bytes32 nonce,
		bytes memory signature
	) external {
		require(to == msg.sender, "FiatTokenV2: caller must be the payee");
		_move(
			RECEIVE_WITH_AUTHORIZATION_TYPEHASH,
			Authorization(from, to, value, validAfter, validBefore, nonce),
			signature
		);
	}

	function cancelAuthorization(
		address authorizer,
		bytes32 nonce,
		bytes memory signature
	) public {
		_requireUnused(authorizer, nonce);
		_requireSigned(
			authorizer,
			keccak256(abi.encode(CANCEL_AUTHORIZATION_TYPEHASH, authorizer, nonce)),
			signature
		);
		authorizationState[authorizer][nonce] = true;
		emit AuthorizationCanceled(authorizer, nonce);
	}

	function cancelAuthorization(
		address authorizer,
		bytes32 nonce,
		uint8 v,
		bytes32 r,
		bytes32 s
	) external {
		cancelAuthorization(authorizer, nonce, abi.encodePacked(r, s, v));
	}

	function _move(bytes32 typeHash, Authorization memory a, bytes memory signature) private {
		require(block.timestamp > a.validAfter, "FiatTokenV2: authorization is not yet valid");
		require(block.timestamp < a.validBefore, "FiatTokenV2: authorization is expired");
		_requireUnused(a.from, a.nonce);
		_requireSigned(a.from, keccak256(abi.encode(typeHash, a)), signature);
		authorizationState[a.from][a.nonce] = true;
		emit AuthorizationUsed(a.from, a.nonce);
		_transfer(a.from, a.to, a.value);
	}

	function _requireUnused(address authorizer, bytes32 nonce) private view {
		require(
			!authorizationState[authorizer][nonce],
			"FiatTokenV2: authorization is used or canceled"
		);
	}

	/// A wallet that is a contract answers for itself (ERC-1271); any other by its key.
	function _requireSigned(address signer, bytes32 structHash, bytes memory signature) private view {
		bytes32 digest = keccak256(abi.encodePacked("\x19\x01", DOMAIN_SEPARATOR(), structHash));
		if (signer.code.length > 0) {
			require(
				IERC1271(signer).isValidSignature(digest, signature) ==
					IERC1271.isValidSignature.selector,
				"FiatTokenV2: invalid signature"
			);
			return;
		}
		require(signature.length == 65, "FiatTokenV2: invalid signature length");
		(bytes32 r, bytes32 s, uint8 v) = _split(signature);
		require(uint256(s) <= S_MAX, "FiatTokenV2: invalid signature 's' value");
		require(v == 27 || v == 28, "FiatTokenV2: invalid signature 'v' value");
		address recovered = ecrecover(digest, v, r, s);
		require(recovered != address(0) && recovered == signer, "FiatTokenV2: invalid signature");
	}

	function _split(bytes memory signature) private pure returns (bytes32 r, bytes32 s, uint8 v) {
		assembly {
			r := mload(add(signature, 32))
			s := mload(add(signature, 64))
			v := byte(0, mload(add(signature, 96)))
		}
	}

	function _transfer(address from, address to, uint256 value) private {
		require(to != address(0), "ERC20: transfer to the zero address");
		require(balanceOf[from] >= value, "ERC20: transfer amount exceeds balance");
		balanceOf[from] -= value;
		balanceOf[to] += value;
		emit Transfer(from, to, value);
	}
}
