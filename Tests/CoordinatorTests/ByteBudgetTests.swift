import Testing

@_spi(Baton) @testable import BatonCoordinator

@Suite("Budgets in bytes")
struct ByteBudgetTests {
    @Test("A budget has room for a peer up to the peer's limit and up to the common limit")
    func limits() {
        var budget = ByteBudget<Int>(ofPeer: 100, inAll: 150)
        budget.reserve(80, for: 1)
        #expect(budget.hasRoom(for: 20, of: 1))
        #expect(!budget.hasRoom(for: 21, of: 1))
        budget.reserve(60, for: 2)
        #expect(budget.total == 140)
        #expect(!budget.hasRoom(for: 11, of: 2))
        budget.giveBack(30, of: 1)
        #expect(budget.hasRoom(for: 11, of: 2))
        #expect(budget[1] == 50)
    }

    @Test("A peer without bytes may take any size, then its own share, although another peer used up the budget")
    func ownShare() {
        var budget = ByteBudget<Int>(ofPeer: 100, inAll: 100, ownShare: 10)
        budget.reserve(100, for: 1)
        #expect(budget.hasRoom(for: 1_000_000, of: 2))
        budget.reserve(4, for: 2)
        #expect(budget.hasRoom(for: 6, of: 2))
        #expect(!budget.hasRoom(for: 7, of: 2))
    }

    @Test("A budget above its limit grants one large piece at a time to a new peer, and a small share to each peer")
    func exception() {
        var budget = ByteBudget<Int>(ofPeer: 100, inAll: 100, forFirst: 200, ownShare: 10)
        for peer in 0..<4 {
            #expect(budget.hasRoom(for: 50, of: peer))
            budget.reserve(50, for: peer)
        }
        #expect(!budget.hasRoom(for: 50, of: 0))
        #expect(budget.hasRoom(for: 50, of: 4))
        budget.reserve(50, for: 4)
        #expect(!budget.hasRoom(for: 50, of: 5))
        #expect(budget.hasRoom(for: 10, of: 5))
        budget.reserve(10, for: 5)
        budget.giveBack(50, of: 4)
        #expect(budget.hasRoom(for: 50, of: 6))
    }

    @Test("A return of more bytes than were taken leaves the budget at zero")
    func tooMuchGivenBack() {
        var budget = ByteBudget<Int>(ofPeer: 100, inAll: 100)
        budget.reserve(10, for: 1)
        budget.giveBack(20, of: 1)
        budget.giveBack(5, of: 2)
        #expect(budget.total == 0)
        #expect(budget[1] == 0)
    }

    @Test("A FIFO returns its elements in the order of addition through interleaved additions and removals")
    func fifo() {
        var line = Fifo<Int>()
        var next = 0
        for number in 0..<1000 {
            line.append(number)
            guard number % 3 != 0 else { continue }
            let taken = line.popFirst()
            #expect(taken == next)
            next += 1
        }
        while let taken = line.popFirst() {
            #expect(taken == next)
            next += 1
        }
        #expect(next == 1000)
        #expect(line.isEmpty)
    }
}
