@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire
import Foundation
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The dependents of an operation over HTTP", .timeLimit(.minutes(60)))
struct DependentsRouteTests {
    private static let size: UInt32 = 1_000_000

    /// The page of a job in which an operation follows a large array.
    private static func page(_ selection: HistorySelection, isFinished: Bool) -> HistoryPage {
        let end = min(size + 1, selection.from + min(selection.limit, .max - selection.from))
        var page = HistoryPage.sample(from: selection.from, finishedAt: isFinished ? 90 : nil)
        page.counts.pending = Int(size) + 1
        if selection.from < size {
            page.entries.append(
                HistoryEntry(first: 0, count: size, name: "tile", numbering: .steps(first: 0, step: 1))
            )
        }
        if selection.from <= size, end > size {
            page.entries.append(
                HistoryEntry(
                    first: size,
                    name: "merge",
                    dependencies: [HistoryDependency(first: 0, count: size, condition: .success)]
                )
            )
        }
        if selection.from < end {
            page.operations = [OperationHistory(first: selection.from, count: end - selection.from)]
        }
        page.next = end < size + 1 && selection.from < end ? end : nil
        return page
    }

    private static func web(isFinished: Bool) throws -> TestInterface {
        try TestInterface(
            PreparedCluster { question in
                guard case .history(let selection) = question.request else { return nil }
                return .history(page(selection, isFinished: isFinished))
            }
        )
    }

    @Test("What follows a large array is found with few pages, which are read once for a finished job")
    func largeArray() async throws {
        let web = try Self.web(isFinished: true)
        let answer = try await web.ask("GET", "/api/v1/operations/12/7/dependents")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(
            answer.text
                == #"{"operation":"12/7","dependents":[{"operation":"12/1000000","name":"merge","state":"pending","#
                + #""outcome":null,"condition":"success","size":1}],"more":0,"seq":812}"#
        )
        let read = web.cluster.requests.count
        #expect(read < 30)
        #expect(try await web.ask("GET", "/api/v1/operations/12/7/dependents?limit=100").text == answer.text)
        // One question tells whether the job is still there.
        #expect(web.cluster.requests.count == read + 1)
        #expect(try await web.ask("GET", "/api/v1/operations/12/8/dependents").status == 200)
        #expect(web.cluster.requests.count > read + 2)
        let last = try await web.ask("GET", "/api/v1/operations/12/1000000/dependents").text
        #expect(last.hasPrefix(#"{"operation":"12/1000000","dependents":[],"more":0,"#), "\(last)")
    }

    @Test("An operation that is not there, and a limit that is none, are refused")
    func refusals() async throws {
        let web = try Self.web(isFinished: false)
        let missing = try await web.ask("GET", "/api/v1/operations/12/1000001/dependents")
        #expect(missing.status == 404 && missing.text.contains("There is no operation 12/1000001."), "\(missing.text)")
        for limit in ["0", "501", "x"] {
            let answer = try await web.ask("GET", "/api/v1/operations/12/7/dependents?limit=\(limit)")
            #expect(answer.status == 400, "\(limit): \(answer.text)")
        }
        #expect(try await web.ask("GET", "/api/v1/operations/12/7/dependents?limit=500").status == 200)
    }
}
