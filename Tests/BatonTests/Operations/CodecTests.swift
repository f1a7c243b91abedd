@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import Baton

@Suite("BL4 The encoding of Swift operations and their outputs")
struct CodecTests {
    @Test("An operation and a Codable output travel as JSON with sorted members")
    func codable() async throws {
        let bytes = try TypedCoding.argument(of: Area(width: 2, height: 3))
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"height":3,"width":2}"#)
        #expect(try TypedCoding.work(Area.self, from: bytes) == Area(width: 2, height: 3))
        let result = try await OperationCall(.sample(argument: bytes)).perform(Area.self)
        #expect(String(decoding: result ?? [], as: UTF8.self) == #"{"area":6,"width":2}"#)
        #expect(try TypedCoding.output(of: Area.self, from: result) == ["area": 6, "width": 2])
    }

    @Test("An operation without output has no result, and reads any result as its output")
    func void() async throws {
        let bytes = try TypedCoding.argument(of: Touch())
        #expect(try await OperationCall(.sample(argument: bytes)).perform(Touch.self) == nil)
        try TypedCoding.output(of: Touch.self, from: nil)
        try TypedCoding.output(of: Touch.self, from: [1])
    }

    @Test("An operation may have codecs of its own, and then an output that is not Codable")
    func custom() async throws {
        #expect(try TypedCoding.argument(of: Spell(word: "été")) == Array("été".utf8))
        let result = try await OperationCall(.sample(argument: Array("été".utf8))).perform(Spell.self)
        #expect(result == Array("été".utf8))
        #expect(try TypedCoding.output(of: Spell.self, from: result).letters == ["é", "t", "é"])
    }

    @Test("An operation has at most 1 MiB encoded")
    func tooLarge() async throws {
        let most = Work.maximumArgumentLength
        #expect(try TypedCoding.argument(of: Spell(word: String(repeating: "a", count: most))).count == most)
        let tooMuch = Spell(word: String(repeating: "a", count: most + 1))
        let error = await clusterError { try TypedCoding.argument(of: tooMuch) }
        #expect(error?.code == .tooLarge)
        #expect(
            error?.message
                == "The operation of type \"spell\" has 1048577 bytes, more than the 1048576 that it may have. "
                + "Keep large data in files, and let the operation name them."
        )
    }

    @Test("A value without a form in JSON is refused, with its place")
    func unencodable() async throws {
        let error = await clusterError { try TypedCoding.argument(of: Area(width: .infinity, height: 1)) }
        #expect(error?.code == .coding)
        #expect(
            error?.message.hasPrefix("The operation of type \"area\" cannot be encoded. At width: ") == true,
            "\(error?.message ?? "")"
        )
    }

    @Test("An argument or result that cannot be decoded names the type and the reason")
    func undecodable() async throws {
        let argument = await clusterError {
            try await OperationCall(.sample(argument: Array(#"{"width":1}"#.utf8))).perform(Area.self)
        }
        #expect(argument?.code == .coding)
        #expect(argument?.message == #"The argument is no operation of type "area". The member "height" is missing."#)
        let result = await clusterError { try TypedCoding.output(of: Area.self, from: Array(#"{"area":"6"}"#.utf8)) }
        #expect(result?.code == .coding)
        #expect(
            result?.message.hasPrefix("The result is no output of an operation of type \"area\". At area: ") == true,
            "\(result?.message ?? "")"
        )
        let nothing = await clusterError { try TypedCoding.output(of: Area.self, from: nil) }
        #expect(nothing?.code == .coding)
        #expect(nothing?.message == "The operation of type \"area\" has no result, where an output is due.")
    }

    @Test("The error of a codec of one's own is the reason")
    func customErrors() async throws {
        let long = Array("incomprehensible".utf8)
        let output = await clusterError { try await OperationCall(.sample(argument: long)).perform(Spell.self) }
        #expect(output?.code == .coding)
        #expect(
            output?.message
                == "The output of the operation of type \"spell\" cannot be encoded. There is a letter too many."
        )
        let result = await clusterError { try TypedCoding.output(of: Spell.self, from: long) }
        #expect(
            result?.message
                == "The result is no output of an operation of type \"spell\". There is a letter too many."
        )
    }
}
