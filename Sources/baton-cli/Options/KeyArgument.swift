@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonKeys
@_spi(Baton) import BatonZeroMQ

/// Arguments with the name of a key, or with an address for a key.
enum KeyArgument {
    /// Reads the name of a key.
    static func name(_ text: String) throws(ValidationError) -> KeyName {
        guard let name = KeyName(text) else { throw ValidationError(sentence(KeyName.rule)) }
        return name
    }

    /// Reads the coordinator's address for other hosts.
    static func address(_ text: String) throws(ValidationError) -> ServerAddress {
        if let objection = Endpoint.objection(to: text, for: .connecting) {
            throw ValidationError("Please provide an address such as tcp://10.0.0.1:7461: \(objection).")
        }
        guard let address = ServerAddress(text) else { throw ValidationError(sentence(ServerAddress.rule)) }
        guard !address.isWildcard else {
            throw ValidationError("\(text) stands for all addresses of a host: nobody can connect to it.")
        }
        return address
    }

    private static func sentence(_ rule: String) -> String { rule.prefix(1).uppercased() + rule.dropFirst() + "." }
}
