/// Addresses to listen at.
package enum LoopbackAddress {
    /// An address for one server, at any free port, which no other server of the tests gets.
    ///
    /// A second server can then listen at the port of the first, ended server: at an address that all tests share, another
    /// test may have taken the port in between. Systems other than Linux have one loopback address alone.
    package static func unique() -> String { "tcp://\(uniqueHost()):*" }

    /// The host of such an address.
    package static func uniqueHost() -> String {
        #if os(Linux)
            let bytes = (0..<3).map { _ in UInt8.random(in: 1...254) }
            return "127.\(bytes[0]).\(bytes[1]).\(bytes[2])"
        #else
            return "127.0.0.1"
        #endif
    }
}
