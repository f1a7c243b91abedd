import Testing

@_spi(Baton) @testable import BatonWire

@Suite("Numbers and flags of the wire format") struct ByteReaderTests {
    private func read<Value>(
        _ bytes: [UInt8],
        _ body: (inout ByteReader) throws(WireError) -> Value
    ) -> Result<Value, WireError> {
        bytes.withUnsafeBytes { buffer in
            Result { () throws(WireError) in
                var reader = ByteReader(buffer)
                return try body(&reader)
            }
        }
    }

    private func write(_ body: (inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        body(&writer)
        return writer.bytes
    }

    @Test(
        "A number takes seven bits a byte, the low bits first",
        arguments: [
            (0, [0]), (127, [0x7F]), (128, [0x80, 0x01]), (300, [0xAC, 0x02]), (16_383, [0xFF, 0x7F]),
            (.max, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]),
        ] as [(UInt64, [UInt8])]
    )
    func numberTakesSevenBits(number: UInt64, bytes: [UInt8]) {
        #expect(write { $0.varint(number) } == bytes)
        #expect(read(bytes) { reader throws(WireError) in try reader.varint("it") } == .success(number))
    }

    @Test(
        "A signed number is folded, and a small number stays small",
        arguments: [
            (0, [0]), (-1, [1]), (1, [2]), (-2, [3]), (63, [0x7E]), (-64, [0x7F]), (64, [0x80, 0x01]),
            (.max, [0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]),
            (.min, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01]),
        ] as [(Int64, [UInt8])]
    )
    func signedNumberFoldedSmall(number: Int64, bytes: [UInt8]) {
        #expect(write { $0.zigzag(number) } == bytes)
        #expect(read(bytes) { reader throws(WireError) in try reader.zigzag("it") } == .success(number))
    }

    @Test(
        "A text is read byte by byte as it was written",
        arguments: [
            "", "a", "fifteen letters", "sixteen letters.", "Größe", "e\u{301}", "\u{FFFD}", "a\0b",
            String(repeating: "x\u{1F600}", count: 1_000),
        ]
    )
    func texts(text: String) throws {
        let result = read(write { $0.text(text) }) { reader throws(WireError) in try reader.text("it") }
        #expect(Array(try result.get().utf8) == Array(text.utf8))
    }

    @Test(
        "A number that is cut off or over-long is refused",
        arguments: [
            ([], "is cut off"),
            ([0x80], "is cut off"),
            ([0x80, 0x00], "more bytes than its number needs"),
            ([0xFF, 0x80, 0x00], "more bytes than its number needs"),
            ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00], "more bytes than its number needs"),
            ([0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02], "does not fit into 64 bits"),
            ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01], "does not fit into 64 bits"),
        ] as [([UInt8], String)]
    )
    func numberCutOffOver(bytes: [UInt8], problem: String) {
        let result = read(bytes) { reader throws(WireError) in try reader.varint("it", as: UInt64.self) }
        #expect(throws: WireError.self) { try result.get() }
        if case .failure(let error) = result { #expect(error.description.contains(problem)) }
    }

    @Test("A number that its type cannot hold is refused")
    func numberTypeCannotHold() {
        let large = write { $0.varint(UInt64(UInt32.max) + 1) }
        let result = read(large) { reader throws(WireError) in try reader.varint("the epoch", as: UInt32.self) }
        #expect(
            result
                == .failure(
                    .malformed("A peer's unnamed message is malformed: the epoch (before byte 5) is above 4294967295.")
                )
        )
        for number in [Int64(Int32.max) + 1, Int64(Int32.min) - 1, .max, .min] {
            let bytes = write { $0.zigzag(number) }
            #expect(throws: WireError.self) {
                try read(bytes) { reader throws(WireError) in try reader.zigzag("it", as: Int32.self) }.get()
            }
        }
    }

    @Test("A fixed number is little-endian at any position")
    func fixedNumberLittleEndian() {
        let bytes = write {
            $0.byte(7)
            $0.fixed(0x0102_0304 as UInt32)
        }
        #expect(bytes == [7, 4, 3, 2, 1])
        let result = read(bytes) { reader throws(WireError) in
            _ = try reader.byte("it")
            return try reader.fixed("it", as: UInt32.self)
        }
        #expect(result == .success(0x0102_0304))
        #expect(throws: WireError.self) {
            try read([1, 2, 3]) { reader throws(WireError) in try reader.fixed("it", as: UInt32.self) }.get()
        }
    }

    @Test("A flag is 0 or 1")
    func flag01() {
        #expect(read([0]) { reader throws(WireError) in try reader.flag("it") } == .success(false))
        #expect(read([1]) { reader throws(WireError) in try reader.flag("it") } == .success(true))
        for byte in [2, 0x80, 0xFF] as [UInt8] {
            #expect(throws: WireError.self) {
                try read([byte]) { reader throws(WireError) in try reader.flag("it") }.get()
            }
        }
    }
}
