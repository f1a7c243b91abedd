/// Checks of an endpoint without opening it.
enum Endpoint {
    /// Whether the port of a `tcp` endpoint is valid: libzmq 4.3.4 takes 99999 for 99999 modulo 65536.
    ///
    /// Endpoints of other transports, or of no known form, are left to libzmq.
    static func hasUsablePort(_ endpoint: String, mayBeChosen: Bool) -> Bool {
        guard endpoint.hasPrefix("tcp://"), let colon = endpoint.lastIndex(of: ":") else { return true }
        let port = endpoint[endpoint.index(after: colon)...]
        if port == "*" || port == "0" { return mayBeChosen }
        guard port.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return false }
        return (UInt16(port) ?? 0) > 0
    }
}
