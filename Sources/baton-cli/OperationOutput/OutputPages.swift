@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The recorded outputs of operations, requested in pages.
struct OutputPages {
    /// The bytes of output in the first page: a short page is there at once.
    private static let firstLimit: UInt32 = 16 << 10

    private let selection: OutputSelection
    private let connection: ClientConnection

    /// - Parameter selection: which outputs, of any number of ranges of operations.
    init(_ selection: OutputSelection, on connection: ClientConnection) {
        self.selection = selection
        self.connection = connection
    }

    /// Passes each page to a closure.
    func read(_ body: (OutputPage) async throws -> Void) async throws {
        var ranges = selection.operations[...]
        var limit = Self.firstLimit
        while !ranges.isEmpty {
            var part = selection
            part.operations = Array(ranges.prefix(WireLimits.maximumAddressCount))
            ranges = ranges.dropFirst(part.operations.count)
            while true {
                let page = try await connection.outputs(part.limited(to: limit), timeout: GlobalOptions.answerTimeout)
                limit = selection.limit
                try await body(page)
                guard let next = page.next else { break }
                part = part.from(next)
            }
        }
    }
}
