// Prints what DKPro Statistics gives for the data in a folder: lines of a name, a tab and a value. Run by foreign.py.

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.dkpro.statistics.agreement.IAgreementMeasure;
import org.dkpro.statistics.agreement.aligning.AlignableAnnotationUnit;
import org.dkpro.statistics.agreement.aligning.GammaAgreement;
import org.dkpro.statistics.agreement.aligning.data.AnnotationSet;
import org.dkpro.statistics.agreement.aligning.data.Rater;
import org.dkpro.statistics.agreement.aligning.disorder.StatisticalContinuumDisorderSampler;
import org.dkpro.statistics.agreement.aligning.dissimilarity.CombinedCategoricalDissimilarity;
import org.dkpro.statistics.agreement.coding.*;
import org.dkpro.statistics.agreement.distance.*;
import org.dkpro.statistics.agreement.unitizing.KrippendorffAlphaUnitizingAgreement;
import org.dkpro.statistics.agreement.unitizing.UnitizingAnnotationStudy;

public class Theirs
{
    // The seed with which INCEpTION calls GammaAgreement (GammaAgreementMeasure.java).
    static final long INCEPTION_SEED = 428_984_162_539_017_403L;
    static final String FEATURE = "label";

    public static void main(String[] arguments) throws IOException
    {
        var folder = Path.of(arguments[0]);
        int samples = Integer.parseInt(arguments[1]);
        int seeds = Integer.parseInt(arguments[2]);
        coding(folder);
        for (var entry : continua(folder.resolve("continua.csv")).entrySet()) {
            aligning(entry.getKey(), entry.getValue(), samples, seeds);
        }
    }

    static void print(String name, double value)
    {
        System.out.println(name + "\t" + value);
    }

    static void print(String name, IAgreementMeasure measure)
    {
        print(name, measure.calculateAgreement());
    }

    // ---- items

    static void coding(Path folder) throws IOException
    {
        var two = items(folder.resolve("two.csv"), false);
        print("PercentageAgreement", new PercentageAgreement(two));
        print("BennettSAgreement", new BennettSAgreement(two));
        print("ScottPiAgreement", new ScottPiAgreement(two));
        print("CohenKappaAgreement", new CohenKappaAgreement(two));
        print("WeightedKappaAgreement(interval)", new WeightedKappaAgreement(two, new IntervalDistanceFunction()));
        print("GwetAC1Agreement", new GwetAC1Agreement(two));
        print("GwetAC2Agreement(interval)", new GwetAC2Agreement(two, new IntervalDistanceFunction()));
        var three = items(folder.resolve("three.csv"), false);
        print("PercentageAgreement (three coders)", new PercentageAgreement(three));
        print("RandolphKappaAgreement (three coders)", new RandolphKappaAgreement(three));
        print("FleissKappaAgreement (three coders)", new FleissKappaAgreement(three));
        print("HubertKappaAgreement (three coders)", new HubertKappaAgreement(three));
        print("WeightedKappaAgreement(interval) (three coders)",
                new WeightedKappaAgreement(three, new IntervalDistanceFunction()));
        var missing = items(folder.resolve("judgments.csv"), false);
        var distances = new LinkedHashMap<String, IDistanceFunction>();
        distances.put("nominal", new NominalDistanceFunction());
        distances.put("ordinal", new OrdinalDistanceFunction());
        distances.put("interval", new IntervalDistanceFunction());
        distances.put("ratio", new RatioDistanceFunction());
        for (var distance : distances.entrySet()) {
            print("KrippendorffAlphaAgreement(" + distance.getKey() + ")",
                    new KrippendorffAlphaAgreement(missing, distance.getValue()));
        }
        print("FleissKappaAgreement (missing judgments)", new FleissKappaAgreement(missing));
        print("GwetAC2Agreement(nominal) (missing judgments)",
                new GwetAC2Agreement(missing, new NominalDistanceFunction()));
        var sets = items(folder.resolve("sets.csv"), true);
        print("KrippendorffAlphaAgreement(MASI)",
                new KrippendorffAlphaAgreement(sets, new MASISetAnnotationDistanceFunction()));
    }

    static CodingAnnotationStudy items(Path path, boolean areSets) throws IOException
    {
        CodingAnnotationStudy study = null;
        for (var line : Files.readAllLines(path)) {
            var cells = line.split(",", -1);
            if (study == null) {
                study = new CodingAnnotationStudy(cells.length);
            }
            var row = new Object[cells.length];
            for (int i = 0; i < cells.length; i++) {
                // Distances of numbers are for objects of the class Integer.
                row[i] = cells[i].isEmpty() ? null
                        : areSets ? new SetAnnotation((Object[]) cells[i].split("\\|"))
                        : Integer.valueOf(cells[i]);
            }
            study.addItemAsArray(row);
        }
        return study;
    }

    // ---- units

    record Unit(String annotator, long start, long end, String label) {}

    record Settings(double alpha, double beta, double deltaEmpty, boolean isSampled) {}

    record Case(Settings settings, List<Unit> units) {}

    static Map<String, Case> continua(Path path) throws IOException
    {
        var cases = new LinkedHashMap<String, Case>();
        for (var line : Files.readAllLines(path)) {
            var cells = line.split(",", -1);
            var settings = new Settings(Double.parseDouble(cells[5]), Double.parseDouble(cells[6]),
                    Double.parseDouble(cells[7]), cells[8].equals("1"));
            cases.computeIfAbsent(cells[0], name -> new Case(settings, new ArrayList<>())).units()
                    .add(new Unit(cells[1], Long.parseLong(cells[2]), Long.parseLong(cells[3]), cells[4]));
        }
        return cases;
    }

    static AnnotationSet annotations(List<Unit> units)
    {
        var raters = new LinkedHashMap<String, Rater>();
        var result = new ArrayList<AlignableAnnotationUnit>();
        for (var unit : units) {
            var rater = raters.computeIfAbsent(unit.annotator(), name -> new Rater(name, raters.size()));
            // INCEpTION makes a unit without a label a unit without features.
            var features = unit.label().isEmpty() ? Map.<String, String> of() : Map.of(FEATURE, unit.label());
            result.add(new AlignableAnnotationUnit(rater, (String) null, unit.start(), unit.end(), features));
        }
        return new AnnotationSet(result);
    }

    static GammaAgreement measure(Case data, long seed)
    {
        var settings = data.settings();
        var dissimilarity = CombinedCategoricalDissimilarity.builder().withAlpha(settings.alpha())
                .withBeta(settings.beta()).withDeltaEmpty(settings.deltaEmpty()).build();
        return GammaAgreement.builder().withAnnotationSet(annotations(data.units())).withDissimilarity(dissimilarity)
                .withDisorderSampler(gamma -> new StatisticalContinuumDisorderSampler(gamma, FEATURE)).withSeed(seed)
                .build();
    }

    static void aligning(String name, Case data, int samples, int seeds)
    {
        print(name + ": disorder", measure(data, INCEPTION_SEED).calculateObservedDisagreement());
        if (!data.settings().isSampled()) {
            return;
        }
        print(name + ": gamma", measure(data, INCEPTION_SEED));
        print(name + ": unitizing alpha", unitizing(data.units()));
        var gamma = measure(data, 1);
        var sampler = new StatisticalContinuumDisorderSampler(gamma, FEATURE);
        double sum = 0, squares = 0;
        for (int i = 0; i < samples; i++) {
            double disorder = sampler.sampleDisorder();
            sum += disorder;
            squares += disorder * disorder;
        }
        double mean = sum / samples;
        print(name + ": mean disorder of samples", mean);
        print(name + ": standard error of this mean", Math.sqrt((squares / samples - mean * mean) / samples));
        double gammas = 0, gammaSquares = 0;
        for (int seed = 0; seed < seeds; seed++) {
            double value = measure(data, seed).calculateAgreement();
            gammas += value;
            gammaSquares += value * value;
        }
        print(name + ": standard deviation of gamma over seeds",
                Math.sqrt(gammaSquares / seeds - gammas * gammas / seeds / seeds));
    }

    static KrippendorffAlphaUnitizingAgreement unitizing(List<Unit> units)
    {
        long begin = units.stream().mapToLong(Unit::start).min().orElse(0);
        long end = units.stream().mapToLong(Unit::end).max().orElse(0);
        var names = units.stream().map(Unit::annotator).distinct().toList();
        var study = new UnitizingAnnotationStudy(names.size(), begin, end - begin);
        for (var unit : units) {
            study.addUnit(unit.start(), unit.end() - unit.start(), names.indexOf(unit.annotator()), unit.label());
        }
        return new KrippendorffAlphaUnitizingAgreement(study);
    }
}
