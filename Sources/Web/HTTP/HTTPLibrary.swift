import CBatonMicroHTTPD

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif
import Synchronization

/// The library libmicrohttpd, loaded at its first use and never unloaded.
struct HTTPLibrary: Sendable {
    /// Where the library may be; macOS does not search the directories of Homebrew.
    #if canImport(Darwin)
        static let usualNames = [
            "libmicrohttpd.12.dylib", "/opt/homebrew/lib/libmicrohttpd.12.dylib",
            "/usr/local/lib/libmicrohttpd.12.dylib",
        ]
        private static let installation = "brew install libmicrohttpd"
    #else
        static let usualNames = ["libmicrohttpd.so.12"]
        private static let installation = "apt-get install libmicrohttpd12"
    #endif

    /// The C table of functions, which nobody writes.
    nonisolated(unsafe) let functions: OpaquePointer

    /// Each table that was loaded, so that it is made once.
    private static let loaded = Mutex<[[String]: HTTPLibrary]>([:])

    /// The first library of the names that can be loaded.
    ///
    /// - Throws: ``HTTPServerError`` if there is none.
    static func load(_ names: [String]) throws(HTTPServerError) -> HTTPLibrary {
        let result = loaded.withLock { loaded -> Result<HTTPLibrary, HTTPServerError> in
            if let library = loaded[names] { return .success(library) }
            let result = Result { () throws(HTTPServerError) in try HTTPLibrary(names: names) }
            if case .success(let library) = result { loaded[names] = library }
            return result
        }
        return try result.get()
    }

    private init(names: [String]) throws(HTTPServerError) {
        var reason = [CChar](repeating: 0, count: 256)
        let copies = names.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        let pointers = copies.map { UnsafePointer($0) } + [nil]
        guard let functions = cmicrohttpd_load(pointers, &reason, reason.count) else {
            throw HTTPServerError(
                .libraryMissing,
                "HTTP needs the library libmicrohttpd, which cannot be loaded: \(string(reason)). Install it, for example with "
                    + "\"\(Self.installation)\"."
            )
        }
        self.functions = functions
    }

    /// Whether the library can encrypt.
    var hasTLS: Bool { cmicrohttpd_has_tls(functions) }

    /// When a certificate in PEM expires, in seconds since the start of 1970 in UTC; nil for what is no certificate.
    func expiration(of certificate: String) -> Int64? {
        let time = cmicrohttpd_expiration(functions, certificate)
        return time >= 0 ? time : nil
    }

    /// The words that belong to a status code, such as "Not Found".
    func reasonPhrase(_ status: Int) -> String {
        String(cString: cmicrohttpd_reason_phrase(functions, UInt32(clamping: status)))
    }
}

/// The text of a C string in a buffer.
func string(_ buffer: [CChar]) -> String {
    String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
