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

    /// Reads the coordinator's address for other hosts, or the addresses of several that stand in for each other.
    static func address(_ text: String) throws(ValidationError) -> ServerAddress {
        guard let list = EndpointList(text) else {
            let why = EndpointList.advice(on: text) ?? "it is malformed."
            throw ValidationError("Please provide an address, or several with commas between them: \(why)")
        }
        for endpoint in list.endpoints where ServerAddress(endpoint)?.isWildcard == true {
            throw ValidationError("\(endpoint) stands for all addresses of a host: nobody can connect to it.")
        }
        guard let address = ServerAddress(list.description) else {
            throw ValidationError(sentence(ServerAddress.rule))
        }
        return address
    }

    private static func sentence(_ rule: String) -> String { rule.prefix(1).uppercased() + rule.dropFirst() + "." }
}
